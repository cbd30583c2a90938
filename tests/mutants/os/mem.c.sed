# SPDX-License-Identifier: Apache-2.0
s/\(first \+ align - 1\)/(first + 1)/
