# SPDX-License-Identifier: Apache-2.0
s/attr.stack_bytes < LEAST_STACK/attr.stack_bytes < 2/
