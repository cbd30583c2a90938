# SPDX-License-Identifier: Apache-2.0
s/return -EPERM;/return 0;/
