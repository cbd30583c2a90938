# SPDX-License-Identifier: Apache-2.0
s/intervals->seen\[i\] = now;/(void)now;/
