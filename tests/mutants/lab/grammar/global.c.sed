# SPDX-License-Identifier: Apache-2.0
# Durations are taken for milliseconds.
s/seconds \* 1000000/seconds * 1000/
