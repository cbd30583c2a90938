# SPDX-License-Identifier: Apache-2.0
s/word \+ ONE/word/
