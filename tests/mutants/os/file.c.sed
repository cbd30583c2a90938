# SPDX-License-Identifier: Apache-2.0
s/used \+= \(size_t\)n;/used = (size_t)n;/
