# SPDX-License-Identifier: Apache-2.0
# A number beyond 64 bits is taken for the nearest one within.
s/if \(errno == 0\)/if (errno >= 0)/
