# SPDX-License-Identifier: Apache-2.0
s/if \(found == 0\)/if (0)/
