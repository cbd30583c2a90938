# SPDX-License-Identifier: Apache-2.0
s/return "an array";/return "an object";/
