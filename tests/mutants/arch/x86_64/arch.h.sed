# SPDX-License-Identifier: Apache-2.0
s/ldmxcsr %0\\n\\tfldcw %1/fldcw %1/
