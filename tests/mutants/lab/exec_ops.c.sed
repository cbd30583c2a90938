# SPDX-License-Identifier: Apache-2.0
s/if \(!kind->absolute\)/if (kind->absolute)/
