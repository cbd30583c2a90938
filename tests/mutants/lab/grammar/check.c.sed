# SPDX-License-Identifier: Apache-2.0
s/use->users > use->parties/use->users > use->parties + 100/
