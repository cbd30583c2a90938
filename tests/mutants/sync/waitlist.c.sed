# SPDX-License-Identifier: Apache-2.0
s/if \(waiter->listed\)/if (!waiter->prev \&\& waiter->next)/
