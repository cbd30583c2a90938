# src/sync/chan.c: the only receiver is answered without taking it out of the word
s/if (likely(bias_swap(&mine->word, &word, 0))) {/if (likely(bias_swap(\&mine->word, \&word, word))) {/
