# SPDX-License-Identifier: Apache-2.0
s/return waiter\.met == MET_LAST;/return waiter.met == MET;/
