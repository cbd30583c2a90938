# SPDX-License-Identifier: Apache-2.0
s/word - \(1 << 1\)/word/
