# SPDX-License-Identifier: Apache-2.0
s/^\t\t\treturn 0;/\t\t\tcontinue;/
