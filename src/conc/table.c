/* SPDX-License-Identifier: Apache-2.0 */
/* Growing a table of stable entries. */
#include "conc/table.h"

#include <errno.h>
#include <string.h>

#include "base/base.h"
#include "os/mem.h"

int table_init(struct table *table, size_t entry_bytes, size_t most,
	       unsigned chunk_shift)
{
	size_t chunks = (most + (1u << chunk_shift) - 1) >> chunk_shift;
	struct aptr *chunk = os_alloc(chunks * sizeof(*chunk));

	if (!chunk)
		return -ENOMEM;
	memset(table, 0, sizeof(*table));
	table->chunk = chunk;
	table->chunk_count = chunks;
	table->entry_bytes = entry_bytes;
	table->most = most;
	table->chunk_shift = chunk_shift;
	return 0;
}

void table_fini(struct table *table)
{
	for (size_t i = 0; i < table->chunk_count; i++) {
		/* relaxed: nobody else uses the table any more */
		void *chunk = aptr_load_relaxed(&table->chunk[i]);

		if (!chunk)
			break;
		os_free(chunk);
	}
	os_free(table->chunk);
	memset(table, 0, sizeof(*table));
}

int table_add(struct table *table, uint32_t *ret_number)
{
	/* relaxed: the caller's lock orders those who add */
	uint32_t number = a32_load_relaxed(&table->count);
	size_t index = number >> table->chunk_shift;
	void *chunk;

	if (number >= table->most)
		return -EAGAIN;
	/* relaxed: as above */
	if (!aptr_load_relaxed(&table->chunk[index])) {
		chunk = os_alloc_aligned(CACHE_LINE,
					 table->entry_bytes
						 << table->chunk_shift);
		if (!chunk)
			return -ENOMEM;
		/* relaxed: the count publishes it */
		aptr_store_relaxed(&table->chunk[index], chunk);
	}
	/* order: table.add pairs table.look: the chunk is there */
	a32_store_release(&table->count, number + 1);
	*ret_number = number;
	return 0;
}
