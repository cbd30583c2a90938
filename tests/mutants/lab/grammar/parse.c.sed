# SPDX-License-Identifier: Apache-2.0
# A bare suspend is completed in the wrong place.
s/from = bare->ends\[i\];/from = bare->ends[i] + 1;/
