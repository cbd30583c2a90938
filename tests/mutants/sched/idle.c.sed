# SPDX-License-Identifier: Apache-2.0
s/until = timers_earliest\(&cpu->timers\)/until = UINT64_MAX/
