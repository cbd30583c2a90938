# SPDX-License-Identifier: Apache-2.0
s/task->number % COLOURS \* COLOUR_STEP/0/
