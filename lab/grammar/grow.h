/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Arrays that grow one by one.
 */
#ifndef LAB_GRAMMAR_GROW_H
#define LAB_GRAMMAR_GROW_H

#include <stddef.h>
#include <stdlib.h>

/*
 * Makes room for one more element of `size` bytes in an array that holds
 * `count` and was only ever grown by this function.  Capacities are powers of
 * two, so that it follows from `count` whether the array is full, and no
 * structure of the program form carries a capacity.
 *
 * The array, which may have moved; NULL without memory, and then the old one
 * still stands.
 */
static inline void *lab_grow(void *array, size_t count, size_t size)
{
	if (count & (count - 1))
		return array;
	return reallocarray(array, count ? 2 * count : 1, size);
}

#endif
