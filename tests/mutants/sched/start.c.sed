# SPDX-License-Identifier: Apache-2.0
s/if \(!any_alive\(\)\)/if (any_alive() || true)/
