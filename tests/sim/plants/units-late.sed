# src/sync/units.c: one whose time is over goes while another has the turn
# seeds: 10000
/^void units_withdraw(/,/^}/ s/if (send_wish(units, waiter))/if (true)/
