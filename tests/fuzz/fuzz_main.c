/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A plain driver for fuzz targets: mutates seeds at random, so many times.
 *
 * usage: fuzz_… INPUTS SEED-FILE...
 *
 * It knows nothing of coverage (libFuzzer does: `make fuzz`), but needs no more
 * than the compiler, and finds what breaks easily in the test runs.  The same
 * METE_TEST_SEED makes the same inputs.  With METE_FUZZ_KEEP in the environment
 * an input on which the target dies is left in fuzz-crash.
 */
#include <ctype.h>
#include <string.h>

#include "fuzz/fuzz.h"

enum {
	INPUT_MAX = 16384,
	SEEDS_MAX = 64,
	EDITS_MAX = 8,
};

struct input {
	size_t size;
	uint8_t data[INPUT_MAX];
};

static struct input seeds[SEEDS_MAX];
static size_t seed_count;
static uint64_t state;

static uint64_t next_random(void)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return state;
}

static size_t below(size_t limit)
{
	return limit ? next_random() % limit : 0;
}

static size_t count_words(void)
{
	size_t count = 0;

	while (fuzz_words[count])
		count++;
	return count;
}

static void insert(struct input *input, size_t at, const void *what,
		   size_t size)
{
	if (size > INPUT_MAX - input->size)
		return;
	memmove(input->data + at + size, input->data + at, input->size - at);
	memcpy(input->data + at, what, size);
	input->size += size;
}

static void cut_out(struct input *input, size_t at, size_t span)
{
	memmove(input->data + at, input->data + at + span,
		input->size - at - span);
	input->size -= span;
}

/* A word or number that stands there goes, another comes. */
static void exchange(struct input *input, size_t at, const char *word)
{
	size_t end = at;

	while (at > 0 && isalnum(input->data[at - 1]))
		at--;
	while (end < input->size && isalnum(input->data[end]))
		end++;
	cut_out(input, at, end - at);
	insert(input, at, word, strlen(word));
}

static void edit(struct input *input)
{
	static uint8_t piece[INPUT_MAX];
	size_t at = below(input->size + 1);
	size_t span = below(input->size - at + 1) / (1 + below(16));
	const char *word = fuzz_words[below(count_words())];

	switch (below(6)) {
	case 0:
		cut_out(input, at, span);
		break;
	case 1: /* say twice */
		memcpy(piece, input->data + at, span);
		insert(input, at, piece, span);
		break;
	case 2:
		insert(input, at, word, strlen(word));
		break;
	case 3:
		exchange(input, at, word);
		break;
	case 4:
		if (at < input->size)
			input->data[at] = (uint8_t)next_random();
		break;
	default: /* break off */
		if (!below(4))
			input->size = at;
	}
}

static int load(const char *path)
{
	struct input *seed = &seeds[seed_count];
	FILE *file = fopen(path, "rb");

	if (!file) {
		perror(path);
		return 1;
	}
	seed->size = fread(seed->data, 1, INPUT_MAX, file);
	fclose(file);
	seed_count++;
	return 0;
}

static void keep(const struct input *input)
{
	FILE *file = fopen("fuzz-crash", "wb");

	if (!file)
		return;
	fwrite(input->data, 1, input->size, file);
	fclose(file);
}

int main(int argc, char **argv)
{
	const char *text = getenv("METE_TEST_SEED");
	static struct input input;
	unsigned long inputs;

	if (argc < 3 || argc - 2 > SEEDS_MAX) {
		fprintf(stderr, "usage: %s INPUTS SEED-FILE...\n", argv[0]);
		return 2;
	}
	for (int i = 2; i < argc; i++)
		if (load(argv[i]))
			return 2;
	state = text ? strtoull(text, NULL, 0) : 0;
	state = state * 2 + 0x9e3779b97f4a7c15u;
	inputs = strtoul(argv[1], NULL, 10);
	for (size_t i = 0; i < seed_count; i++)
		LLVMFuzzerTestOneInput(seeds[i].data, seeds[i].size);
	for (unsigned long i = 0; i < inputs; i++) {
		input = seeds[below(seed_count)];
		for (size_t edits = 1 + below(EDITS_MAX); edits; edits--)
			edit(&input);
		if (getenv("METE_FUZZ_KEEP"))
			keep(&input);
		LLVMFuzzerTestOneInput(input.data, input.size);
	}
	if (getenv("METE_FUZZ_KEEP"))
		remove("fuzz-crash");
	printf("1..1\nok 1 - %lu inputs\n", inputs);
	return 0;
}
