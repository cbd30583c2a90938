# SPDX-License-Identifier: Apache-2.0
s/\(type && size && count\)/(type || size || count)/
