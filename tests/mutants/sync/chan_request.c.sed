# SPDX-License-Identifier: Apache-2.0
s/request->again = true;/(void)0;/
