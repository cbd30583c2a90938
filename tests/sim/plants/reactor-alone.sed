# src/io/reactor.c: a descriptor is armed for the last one who waits alone
s/events | wanted(bucket, fd))/events)/
