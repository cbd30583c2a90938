# SPDX-License-Identifier: Apache-2.0
s/return wake\(cond, 0, UNITS_ALL\);/return wake(cond, 1, 0);/
