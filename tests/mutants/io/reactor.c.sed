# SPDX-License-Identifier: Apache-2.0
s/ \|\| !\(w->events & ready->events\)//
