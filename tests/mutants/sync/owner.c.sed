# SPDX-License-Identifier: Apache-2.0
s/return -EDEADLK;/return 0;/
