# SPDX-License-Identifier: Apache-2.0
s/-EPERM \? 0 :/-EPERM ? error :/
