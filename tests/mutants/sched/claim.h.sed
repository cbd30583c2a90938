# SPDX-License-Identifier: Apache-2.0
s/TASK_TICKET \+ TASK_BLOCKED;/TASK_BLOCKED;/
