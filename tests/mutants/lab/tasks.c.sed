# SPDX-License-Identifier: Apache-2.0
s/child->first_ns = lab_now_ns\(\);/child->first_ns = 0;/
