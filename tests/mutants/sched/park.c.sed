# SPDX-License-Identifier: Apache-2.0
s/word > TOKEN && claim\(task, word, 0\)/word > TOKEN \&\& false/
