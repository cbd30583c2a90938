# SPDX-License-Identifier: Apache-2.0
s/a32_exchange_acquire\(\&lock->state, 2\)/a32_exchange_acquire(\&lock->state, 1)/
