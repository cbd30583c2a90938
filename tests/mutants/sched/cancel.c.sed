# SPDX-License-Identifier: Apache-2.0
s/task->cleanups = cleanup->next;/task->cleanups = NULL;/
