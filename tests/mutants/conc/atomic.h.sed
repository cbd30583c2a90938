# SPDX-License-Identifier: Apache-2.0
s/A##_own\(a\) \+ v\);/A##_own(a) + (uint32_t)v);/
