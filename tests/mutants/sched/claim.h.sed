# SPDX-License-Identifier: Apache-2.0
s/TASK_TICKET \+ kind/kind/
