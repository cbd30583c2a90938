# SPDX-License-Identifier: Apache-2.0
s/^#define ROUNDS 4/#define ROUNDS 1/
