# src/sync/chan_turn.c: a sender that waits is passed over while there is room
/^static bool serve_receiver(/,/^}/ s/refill(turn);/(void)0;/
/^static void refill(/ s/static void/static __attribute__((unused)) void/
