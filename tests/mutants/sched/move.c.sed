# SPDX-License-Identifier: Apache-2.0
s/if \(cpus\[i\] >= sched.cpus\)/if (cpus[i] > sched.cpus)/
