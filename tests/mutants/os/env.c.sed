# SPDX-License-Identifier: Apache-2.0
s/secure_getenv\(name\)/secure_getenv("")/
