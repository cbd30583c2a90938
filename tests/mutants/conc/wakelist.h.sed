# SPDX-License-Identifier: Apache-2.0
s/oldest->next = \(struct wakenode \*\)head;/newest->next = (struct wakenode *)head;/
