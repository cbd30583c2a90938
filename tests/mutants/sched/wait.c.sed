# SPDX-License-Identifier: Apache-2.0
s/claim_resume\(waiter->task\) \? -ETIMEDOUT : 0;/claim_resume(waiter->task) ? 0 : 0;/
