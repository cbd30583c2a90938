# SPDX-License-Identifier: Apache-2.0
s/(char \*\)stack_top) - STACK_WINDOW/\1 + 0/
