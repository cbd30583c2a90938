# SPDX-License-Identifier: Apache-2.0
s/count = \(tail - head \+ 1\) \/ 2;/count = (tail - head) \/ 2;/
