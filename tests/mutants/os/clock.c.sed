# SPDX-License-Identifier: Apache-2.0
s/return high << \(64 - shift\) \| low >> shift;/return low >> shift;/
