# src/sync/chan_turn.c: those who came after a close are answered before it
/^static void take_over(/,/^}/ {
	s/^	if (word & CHAN_CLOSED && !turn->closed) {/&\n		if (word \& CHAN_WAITED)\n			admit(turn, chan_newest(word));\n		word \&= ~(uint64_t)CHAN_WAITED;/
}
