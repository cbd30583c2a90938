# SPDX-License-Identifier: Apache-2.0
# Two ops share a word.
s/\[LAB_SUSPEND\] = "suspend"/[LAB_SUSPEND] = "resume"/
