# SPDX-License-Identifier: Apache-2.0
s/fiber->stack_bytes = stack_bytes;/fiber->stack_bytes = stack_bytes - 4096;/
