# SPDX-License-Identifier: Apache-2.0
s/above->own_exec_ns = own_ns;/(void)own_ns;/
