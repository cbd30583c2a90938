# SPDX-License-Identifier: Apache-2.0
s/return i \+ 2;/return i + 1;/
