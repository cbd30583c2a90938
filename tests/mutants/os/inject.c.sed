# SPDX-License-Identifier: Apache-2.0
s/return n == k/return n == k + 1/
