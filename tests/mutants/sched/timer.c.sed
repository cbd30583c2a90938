# SPDX-License-Identifier: Apache-2.0
s/if \(b->deadline_ns < a->deadline_ns\)/if (b->deadline_ns > a->deadline_ns)/
