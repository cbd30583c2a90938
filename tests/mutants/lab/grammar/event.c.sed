# SPDX-License-Identifier: Apache-2.0
s/event->op\.mutex\]\.taken = true/event->op.mutex].taken = false/
