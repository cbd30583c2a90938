# SPDX-License-Identifier: Apache-2.0
s/left -= \(uint64_t\)done;/left = 0;/
