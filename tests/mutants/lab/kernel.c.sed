# SPDX-License-Identifier: Apache-2.0
s/wanted\.nice = sched->priority/wanted.nice = 0/
