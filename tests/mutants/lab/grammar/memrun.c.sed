# SPDX-License-Identifier: Apache-2.0
s/a->bytes == b->bytes/a->type == b->type/
