# SPDX-License-Identifier: Apache-2.0
s/value <<= shift;/value <<= 10;/
