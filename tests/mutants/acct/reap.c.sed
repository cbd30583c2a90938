# SPDX-License-Identifier: Apache-2.0
s/sum = a64_load_relaxed\(&group->inherited\[m\]\)/sum = 0/
