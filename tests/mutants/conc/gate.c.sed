# SPDX-License-Identifier: Apache-2.0
s/if \(a32_load_seq_cst\(&gate->guests\)\)/if (false)/
