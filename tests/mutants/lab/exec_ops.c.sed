# SPDX-License-Identifier: Apache-2.0
s/if \(!absolute\)/if (absolute)/
