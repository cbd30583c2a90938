# SPDX-License-Identifier: Apache-2.0
s/barrier->arrived--;/barrier->arrived -= 0;/
