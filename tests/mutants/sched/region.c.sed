# SPDX-License-Identifier: Apache-2.0
s/sched_this = self->cpu;/(void)0;/
