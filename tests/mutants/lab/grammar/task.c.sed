# SPDX-License-Identifier: Apache-2.0
s/\(struct lab_phase\)\{\.loop = 1,/(struct lab_phase){.loop = 2,/
