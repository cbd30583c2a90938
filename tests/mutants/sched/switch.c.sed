# SPDX-License-Identifier: Apache-2.0
s/\*cpu->error_number = next->error_number;/(void)0;/
