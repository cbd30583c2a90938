# SPDX-License-Identifier: Apache-2.0
s/return !\(sequence \& 1\) \&\& a64_load/return a64_load/
