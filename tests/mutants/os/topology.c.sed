# SPDX-License-Identifier: Apache-2.0
s/quota \/ period \+ \(quota % period != 0\)/quota \/ period/
