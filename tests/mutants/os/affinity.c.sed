# SPDX-License-Identifier: Apache-2.0
s/CPU_SET_S\(\(size_t\)os_cpu,/CPU_SET_S((size_t)os_cpu ^ 1,/
