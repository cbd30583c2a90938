# SPDX-License-Identifier: Apache-2.0
s/return high << 1 << \(63 - shift\) \| low >> shift;/return low >> shift;/
