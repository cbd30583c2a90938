# SPDX-License-Identifier: Apache-2.0
s/if \(found\)/if (!found)/
