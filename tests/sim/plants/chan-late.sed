# src/sync/chan_request.c: one whose time is over goes while another has the turn
/^void chan_withdraw(/,/^}/ s/if (send_wish(chan, request))/if (true)/
