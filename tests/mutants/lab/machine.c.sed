# SPDX-License-Identifier: Apache-2.0
s/number < cpus \? \(int\)number : -1/number <= cpus ? (int)number : -1/
