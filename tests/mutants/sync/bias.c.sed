# SPDX-License-Identifier: Apache-2.0
s/while \(!gate_visit\(&bias\.gate\)\)/while (false)/
