# src/sync/select.c: a select that was answered stays where it was not
s/chan_withdraw(chan_of(at->chan), request_of(at));/(void)0;/
