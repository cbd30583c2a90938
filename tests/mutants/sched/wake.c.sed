# SPDX-License-Identifier: Apache-2.0
s/cpu->turn\+\+ & 1 \? bound_take/true ? bound_take/
