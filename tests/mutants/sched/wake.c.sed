# SPDX-License-Identifier: Apache-2.0
s/bound_is_next\(cpu\) \? bound_take/cpu->bound_head ? bound_take/
