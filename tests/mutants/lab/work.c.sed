# SPDX-License-Identifier: Apache-2.0
s/\(double\)MEASURED_LOOPS/(2.0 * (double)MEASURED_LOOPS)/
