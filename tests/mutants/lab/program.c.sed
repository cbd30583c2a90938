# SPDX-License-Identifier: Apache-2.0
s/\[LAB_SUSPEND\] = "suspend"/[LAB_SUSPEND] = "resume"/
