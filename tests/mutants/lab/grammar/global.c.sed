# SPDX-License-Identifier: Apache-2.0
s/seconds \* 1000000 :/seconds * 1000 :/
