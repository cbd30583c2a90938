# SPDX-License-Identifier: Apache-2.0
s/cpu->own_start\[ACCT_EXEC\] \+= s;/(void)s;/
