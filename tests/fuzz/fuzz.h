/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a fuzz target gives to its driver: libFuzzer's entry, and the words that
 * mean something to what it reads (libFuzzer finds them by itself, fuzz_main.c
 * throws them in).
 */
#ifndef TESTS_FUZZ_FUZZ_H
#define TESTS_FUZZ_FUZZ_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* NULL behind the last. */
extern const char *const fuzz_words[];

/* Ends the process so that both drivers see it. */
#define REQUIRE(condition)                                         \
 do {                                                              \
  if (!(condition)) {                                              \
   fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition); \
   abort();                                                        \
  }                                                                \
 } while (0)

#endif
