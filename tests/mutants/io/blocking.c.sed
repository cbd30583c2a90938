# SPDX-License-Identifier: Apache-2.0
s/carrier_self\(\)->depth\+\+;/(void)0;/
