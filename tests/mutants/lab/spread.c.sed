# SPDX-License-Identifier: Apache-2.0
s/squares \/ \(count - 1\)/squares \/ count/
