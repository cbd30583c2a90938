# SPDX-License-Identifier: Apache-2.0
s/flags == \(METE_LIVE \| METE_OWN\)/flags == 0x100/
