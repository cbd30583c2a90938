# SPDX-License-Identifier: Apache-2.0
s/slab->cold -= bit;/;/
