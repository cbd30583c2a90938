# SPDX-License-Identifier: Apache-2.0
s/descriptor\.abort_ip = .*/descriptor.abort_ip = descriptor.start_ip;/
s/return \(volatile uintptr_t \*\)\(void \*\)\(\(char \*\)&area->rseq_cs \+ low\)/return (volatile uintptr_t *)(void *)((char *)area + low)/
