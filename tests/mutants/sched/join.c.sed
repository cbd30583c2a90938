# SPDX-License-Identifier: Apache-2.0
s/\*ret_value = value;/*ret_value = NULL;/
