# SPDX-License-Identifier: Apache-2.0
s/&& !a32_add_relaxed\(begun, 1\)//
