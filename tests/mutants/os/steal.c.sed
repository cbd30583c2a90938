# SPDX-License-Identifier: Apache-2.0
s/now->ticks - steal->ticks - cpu\)/now->ticks - steal->ticks)/
