# SPDX-License-Identifier: Apache-2.0
s/us\(loop->run_ns\)/loop->run_ns/
