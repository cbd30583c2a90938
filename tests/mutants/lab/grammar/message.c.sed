# SPDX-License-Identifier: Apache-2.0
s/place\.column = 1;/place.column = 2;/
