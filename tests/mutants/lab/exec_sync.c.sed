# SPDX-License-Identifier: Apache-2.0
s/barrier->arrived = 0;/(void)0;/
