# SPDX-License-Identifier: Apache-2.0
s/if \(text->used < text->room\)/if (text->used <= text->room)/
