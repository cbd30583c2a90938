# SPDX-License-Identifier: Apache-2.0
s/info->si_code > 0/info->si_code > 100/
