# SPDX-License-Identifier: Apache-2.0
s/a == LAB_UNKNOWN \|\| b == LAB_UNKNOWN/a == LAB_UNKNOWN \&\& b == LAB_UNKNOWN/
