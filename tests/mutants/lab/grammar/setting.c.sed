# SPDX-License-Identifier: Apache-2.0
# A CPU that is named twice is there twice.
s/cpus->cpus\[i\] != cpus->cpus\[kept - 1\]/true/
