# SPDX-License-Identifier: Apache-2.0
s/request->waiter < than->waiter/request->waiter > than->waiter/
