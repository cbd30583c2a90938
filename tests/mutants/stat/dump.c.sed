# SPDX-License-Identifier: Apache-2.0
s/life == ACCT_DYING \?/life == ACCT_LIVE ?/
