# SPDX-License-Identifier: Apache-2.0
s/number >> table->chunk_shift;/number >> (table->chunk_shift + 1);/
