# SPDX-License-Identifier: Apache-2.0
s/name, name\) == 0/name, name) != 0/
