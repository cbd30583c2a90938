# SPDX-License-Identifier: Apache-2.0
s/engine->handles\[spawn->group\]/engine->handles[0]/
