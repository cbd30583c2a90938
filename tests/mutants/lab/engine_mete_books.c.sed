# SPDX-License-Identifier: Apache-2.0
s/usage->blocked_ns = from->blocked_ns/usage->blocked_ns = from->wait_ns/
