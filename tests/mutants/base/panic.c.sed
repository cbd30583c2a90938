# SPDX-License-Identifier: Apache-2.0
s/abort\(\);/exit(1);/
