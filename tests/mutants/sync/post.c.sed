# SPDX-License-Identifier: Apache-2.0
s/post->flags \|= UNITS_OWED;/post->flags |= 0;/
