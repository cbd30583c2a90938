# SPDX-License-Identifier: Apache-2.0
# "count" may be missing.
s/type \&\& size \&\& count/type \&\& size/
