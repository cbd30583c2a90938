# SPDX-License-Identifier: Apache-2.0
# The last byte of a full buffer is lost.
s/text->length \+= got;/text->length += got == 4095 ? got - 1 : got;/
