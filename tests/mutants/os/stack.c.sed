# SPDX-License-Identifier: Apache-2.0
s/index \* stride \+ slab->guard_bytes,/index * stride,/
