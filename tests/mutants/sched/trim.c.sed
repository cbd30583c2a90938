# SPDX-License-Identifier: Apache-2.0
s/sched.free_least = sched.free_count;/sched.free_least = 0;/
