# SPDX-License-Identifier: Apache-2.0
s/, 1, deadline_ns\)/, 1, deadline_ns ? METE_FOREVER : 0)/
