# SPDX-License-Identifier: Apache-2.0
s/^([[:space:]]+)timers_earliest\(&cpu->timers\)\);/\1UINT64_MAX);/
