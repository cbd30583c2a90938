# SPDX-License-Identifier: Apache-2.0
# "global" is read after "tasks".
s/read_members\(r, "global", lab_global/read_members(r, "globals", lab_global/
