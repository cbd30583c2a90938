# SPDX-License-Identifier: Apache-2.0
s/result = -EDEADLK;/result = -ETIMEDOUT;/
