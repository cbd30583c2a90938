# SPDX-License-Identifier: Apache-2.0
s/return in_object \? "a key in quotes" : "a value";/return "a value";/
