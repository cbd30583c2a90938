/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A table of entries that never move and are never freed while it stands.
 *
 * Entries come in chunks that are added under the caller's lock and published
 * for lock-free look-up.  Their memory is type-stable: a stale handle leads to
 * an entry that may have become another, which its generation tells; it never
 * leads to freed memory.  Look-up is wait-free and safe in signal handlers.
 */
#ifndef CONC_TABLE_H
#define CONC_TABLE_H

#include <stddef.h>

#include "conc/atomic.h"

struct table {
	struct aptr *chunk;
	size_t chunk_count;
	size_t entry_bytes;
	size_t most;
	unsigned chunk_shift; /* log2 of the entries in a chunk */
	struct a32 count;     /* entries that exist; grows only */
};

/* 0 or -ENOMEM.  Entries are zeroed and aligned to a cache line. */
int table_init(struct table *table, size_t entry_bytes, size_t most,
	       unsigned chunk_shift);
void table_fini(struct table *table);

/* Under the caller's lock: the number of a new entry.  -EAGAIN when there are
 * as many as were allowed, -ENOMEM. */
int table_add(struct table *table, uint32_t *ret_number);

/* The entry of that number, NULL when there is none. */
static inline void *table_at(const struct table *table, uint32_t number)
{
	unsigned char *chunk;

	/* order: table.look pairs table.add: the chunk's pointer and zeroes */
	if (number >= a32_load_acquire(&table->count))
		return NULL;
	/* relaxed: published by the count */
	chunk = (unsigned char *)aptr_load_relaxed(
		&table->chunk[number >> table->chunk_shift]);
	return chunk +
	       (number & ((1u << table->chunk_shift) - 1)) * table->entry_bytes;
}

#endif
