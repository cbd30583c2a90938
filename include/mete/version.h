/* SPDX-License-Identifier: Apache-2.0 */
/** @file version.h  Version of the headers, and of the library at run time. */
#ifndef METE_VERSION_H
#define METE_VERSION_H

#include <mete/types.h>

#ifdef __cplusplus
extern "C" {
#endif

#define METE_VERSION_MAJOR  0
#define METE_VERSION_MINOR  1
#define METE_VERSION_PATCH  0
#define METE_VERSION_STRING "0.1.0"

/** Version of the library, "0.1.0".  Any context.  Since 0.1. */
METE_API const char *mete_version(void);

#ifdef __cplusplus
}
#endif

#endif
