# SPDX-License-Identifier: Apache-2.0
s/return \*a == '\/' \? -1 : 1;/return *a == '\/' ? 1 : -1;/
