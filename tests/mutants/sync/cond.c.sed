# SPDX-License-Identifier: Apache-2.0
s/while \(waitlist_wake\(&cond->waiters, &tail\)\)/if (waitlist_wake(\&cond->waiters, \&tail))/
