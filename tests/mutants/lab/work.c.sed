# SPDX-License-Identifier: Apache-2.0
s/\/ MEASURED_LOOPS;/\/ (2 * MEASURED_LOOPS);/
