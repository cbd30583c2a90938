# SPDX-License-Identifier: Apache-2.0
s/wish\.leaver = leaver;/wish.leaver = NULL, wish.want = leaver->want;/
