/* SPDX-License-Identifier: Apache-2.0 */
/** @file mete.h  The umbrella: everything public. */
#ifndef METE_METE_H
#define METE_METE_H

#include <mete/chan.h>
#include <mete/group.h>
#include <mete/io.h>
#include <mete/runtime.h>
#include <mete/stat.h>
#include <mete/sync.h>
#include <mete/task.h>
#include <mete/types.h>
#include <mete/version.h>

#endif
