# SPDX-License-Identifier: Apache-2.0
s/tail - head > ring->mask\)/tail - head > ring->mask + 1)/
