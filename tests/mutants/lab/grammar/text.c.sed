# SPDX-License-Identifier: Apache-2.0
s/"too long, expected/"long, expected/
s/text->length \+= got;/text->length = got;/
