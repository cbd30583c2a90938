# SPDX-License-Identifier: Apache-2.0
s/descriptor\.abort_ip = .*/descriptor.abort_ip = descriptor.start_ip;/
