# SPDX-License-Identifier: Apache-2.0
s/missing \? MET : MET_LAST/MET/
