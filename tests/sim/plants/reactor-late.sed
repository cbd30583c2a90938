# src/io/reactor.c: a waiter whose time is over stays listed
s/if (self.link)/if (!self.link)/
