# SPDX-License-Identifier: Apache-2.0
s/task_name_set\(task, spawn->name\)/task_name_set(task, NULL)/
