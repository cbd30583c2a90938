# SPDX-License-Identifier: Apache-2.0
s/result == CHAN_PENDING\)/result == CHAN_AGAIN)/
