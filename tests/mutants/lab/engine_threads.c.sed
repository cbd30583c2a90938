# SPDX-License-Identifier: Apache-2.0
s/^\tstrand->group = group;/\t(void)group;/
