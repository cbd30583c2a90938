# SPDX-License-Identifier: Apache-2.0
s/deadline_ns > now_ns \?/deadline_ns < now_ns ?/
