# SPDX-License-Identifier: Apache-2.0
s/strncpy\(start->name, attr->name, NAME_BYTES - 1\);/start->name[0] = 0;/
