# SPDX-License-Identifier: Apache-2.0
s/strncat\(task->name, spawn->name, TASK_NAME_MAX\)/strncat(task->name, spawn->name, TASK_NAME_MAX - 1)/
