# SPDX-License-Identifier: Apache-2.0
s/if \(!error && ret_status\)/if (!error \&\& ret_status == (void *)1)/
