# SPDX-License-Identifier: Apache-2.0
s/chan->spare = NULL;/(void)0;/
