# SPDX-License-Identifier: Apache-2.0
s/chan_copy\(receiver->item, item, mine->item_bytes\);/(void)0;/
