# SPDX-License-Identifier: Apache-2.0
s/pool_colour\(index\)/0/
