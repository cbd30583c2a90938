# SPDX-License-Identifier: Apache-2.0
s/if \(likely\(\(int64_t\)wait > 0\)\)/if (wait)/
