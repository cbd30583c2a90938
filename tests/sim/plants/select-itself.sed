# src/sync/chan_turn.c: a select that finds itself looks no further
/^static bool pair(/,/^}/ s/^		if (!lasts(listed)) {/		if (request->waiter \&\& request->waiter == listed->waiter)\n			return false;\n&/
