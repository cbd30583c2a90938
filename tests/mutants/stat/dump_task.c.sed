# SPDX-License-Identifier: Apache-2.0
s/task \? id_of\(task, number\) : awaits/awaits/
