# SPDX-License-Identifier: Apache-2.0
# A barrier that can't be met is let through.
s/use->users > use->parties/use->users > 2 * use->parties/
