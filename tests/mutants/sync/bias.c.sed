# SPDX-License-Identifier: Apache-2.0
s/^\t\taptr_exchange_release\(&bias\.owner, BIAS_SHARED\);//
