# SPDX-License-Identifier: Apache-2.0
s/BUG_ON\(held >> rank\)/BUG_ON(held >> rank \& 1)/
