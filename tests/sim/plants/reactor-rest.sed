# src/io/reactor.c: who was not woken by a report is not armed for again
s/if (rest && os_epoll_arm/if (!rest \&\& os_epoll_arm/
