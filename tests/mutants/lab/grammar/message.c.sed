# SPDX-License-Identifier: Apache-2.0
# Control characters are shown as they are.
s/byte < 0x20 \|\| //
