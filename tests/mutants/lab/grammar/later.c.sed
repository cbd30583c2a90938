# SPDX-License-Identifier: Apache-2.0
# "count" may be missing.
s/seen\.size && seen\.count/seen.size/
