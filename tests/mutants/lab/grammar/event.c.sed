# SPDX-License-Identifier: Apache-2.0
# "runtime" is read as calibrated work.
s/"runtime", read_span, NULL, LAB_RUNTIME/"runtime", read_span, NULL, LAB_RUN/
