# SPDX-License-Identifier: Apache-2.0
s/preemption \? OS_STEAL_FLAG : OS_STEAL_ASK/preemption ? OS_STEAL_ASK : OS_STEAL_FLAG/
