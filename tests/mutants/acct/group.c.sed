# SPDX-License-Identifier: Apache-2.0
s/strlen\(start\) >= size/strlen(start) > size/
