# SPDX-License-Identifier: Apache-2.0
s/if \(ticks != inclusive\)/if (ticks + 1 != inclusive)/
