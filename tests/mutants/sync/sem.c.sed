# SPDX-License-Identifier: Apache-2.0
s/^\t\tcount--;/\t\tcount -= 0 * count;/
