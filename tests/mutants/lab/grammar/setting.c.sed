# SPDX-License-Identifier: Apache-2.0
s/return a < b \? -1 : a > b;/return a < b ? 1 : -(a > b);/
