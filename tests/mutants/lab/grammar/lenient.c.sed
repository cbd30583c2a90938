# SPDX-License-Identifier: Apache-2.0
# An escaped quote ends a string.
s/text\[i\] == '\\\\' \&\& i \+ 1 < length \? 2 : 1/1/
