# SPDX-License-Identifier: Apache-2.0
s/deadline_ns \/ 1000000000\)/deadline_ns \/ 1000000000000)/
