# SPDX-License-Identifier: Apache-2.0
s/p->line\+\+;/p->line += 2;/
