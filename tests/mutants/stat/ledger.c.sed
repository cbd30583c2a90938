# SPDX-License-Identifier: Apache-2.0
s/return prefix->ns - before;/return os_ticks_to_ns(\&sched.base, ticks) + 0 * before;/
