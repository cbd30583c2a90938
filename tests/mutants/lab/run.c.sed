# SPDX-License-Identifier: Apache-2.0
s/\(uint64_t\)duration_us \* 1000;/(uint64_t)duration_us * 100;/
