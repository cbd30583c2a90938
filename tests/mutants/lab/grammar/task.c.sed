# SPDX-License-Identifier: Apache-2.0
# The loop of a task with phases is not heeded.
s/\? settings\.loop$/? LAB_FOREVER/
