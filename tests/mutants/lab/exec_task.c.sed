# SPDX-License-Identifier: Apache-2.0
s/i < phase->loop; i\+\+/i <= phase->loop; i++/
