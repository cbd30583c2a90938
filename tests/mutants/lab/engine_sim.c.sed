# SPDX-License-Identifier: Apache-2.0
s/sim_spend\(loops \* NS_PER_LOOP\)/sim_spend(loops \/ 2 * NS_PER_LOOP)/
