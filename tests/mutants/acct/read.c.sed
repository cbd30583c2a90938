# SPDX-License-Identifier: Apache-2.0
s/parts = account.stolen;/parts = 0;/
