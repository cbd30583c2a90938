# SPDX-License-Identifier: Apache-2.0
s/shown\+\+ < TASKS_SHOWN/shown++ <= TASKS_SHOWN/
