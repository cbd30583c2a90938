# SPDX-License-Identifier: Apache-2.0
s/\.signals = &sched\.signals,//
