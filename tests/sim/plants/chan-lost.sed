# src/sync/chan_turn.c: an item is given to one whose wait was over
/^static int claim_both(/,/^}/ s/if (!claim_request(turn, listed))/if (!claim_request(turn, listed) \&\& false)/
/^static int claim_both(/,/^}/ s/if (claim_request(turn, listed))/if (claim_request(turn, listed) || true)/
