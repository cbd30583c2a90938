# SPDX-License-Identifier: Apache-2.0
s/if \(now - cpu->tick_since < sched.config.slice_ns\)/if (now - cpu->tick_since < sched.config.slice_ns || true)/
