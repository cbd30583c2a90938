# src/sync/chan_turn.c: a select that finds itself looks no further
# seeds: 10000
/^static bool pair(/,/^}/ s/^		if (!lasts(listed)) {/		if (request->waiter \&\& request->waiter == listed->waiter)\n			return false;\n&/
