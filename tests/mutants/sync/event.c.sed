# SPDX-License-Identifier: Apache-2.0
s/UNITS_ALL \| UNITS_LATCH/UNITS_LATCH/
