# SPDX-License-Identifier: Apache-2.0
s/octave = bucket \/ SUB - 1;/octave = bucket \/ SUB;/
