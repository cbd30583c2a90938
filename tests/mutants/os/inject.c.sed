# SPDX-License-Identifier: Apache-2.0
s/return n == armed_k/return n == armed_k + 1/
