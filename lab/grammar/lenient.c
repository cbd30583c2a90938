/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The pre-pass: makes strict JSON of what people write.
 *
 * Two walks.  The first knows strings and comments only, and turns comments
 * into blanks; so the second finds the next byte that matters by skipping
 * blanks, and looks after commas and keys.  Everything is changed in place and
 * byte for byte, newlines stay: an offset means the same before and after, and
 * every message names the place that the user sees.  What would need more
 * room, the value of a bare "suspend", is only listed here.
 *
 * Neither walk judges the text.  A string ends at a newline even without its
 * quote, so that one lost quote can't hide the rest; the parser refuses it.
 */
#include "lab/grammar/lenient.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "lab/grammar/grow.h"
#include "lab/program.h"

/* The second walk: where it is among objects, arrays and keys. */
struct walk {
	char *text;
	size_t length;
	bool in_object[LAB_NESTING_MAX + 1];
	unsigned depth;
	bool want_key;
	char last; /* the last byte that mattered */
	struct lab_bare bare;
};

/* The byte after the string that begins at `start`. */
static size_t string_end(const char *text, size_t length, size_t start)
{
	size_t i = start + 1;

	while (i < length && text[i] != '"' && text[i] != '\n')
		i += text[i] == '\\' && i + 1 < length ? 2 : 1;
	return i < length && text[i] == '"' ? i + 1 : i;
}

static size_t skip_blanks(const char *text, size_t length, size_t i)
{
	while (i < length && strchr(" \t\r\n", text[i]) && text[i] != '\0')
		i++;
	return i;
}

/* The byte after the comment that begins at `start`; 0 if it has no end. */
static size_t comment_end(const char *text, size_t length, size_t start)
{
	size_t i = start + 2;

	if (text[start + 1] == '/') {
		while (i < length && text[i] != '\n')
			i++;
		return i;
	}
	for (; i + 1 < length; i++)
		if (text[i] == '*' && text[i + 1] == '/')
			return i + 2;
	return 0;
}

static int blank_comments(char *text, size_t length, struct lab_fault *fault)
{
	size_t i = 0;

	while (i < length) {
		size_t end;

		if (text[i] == '"') {
			i = string_end(text, length, i);
			continue;
		}
		if (text[i] != '/' || i + 1 >= length ||
		    (text[i + 1] != '/' && text[i + 1] != '*')) {
			i++;
			continue;
		}
		end = comment_end(text, length, i);
		if (!end) {
			fault->offset = i;
			fault->what = "a comment without end, expected \"*/\"";
			return -EINVAL;
		}
		for (; i < end; i++)
			if (text[i] != '\n')
				text[i] = ' ';
	}
	return 0;
}

/* A string: if it is a key that lacks its value, and may, it is listed. */
static int walk_string(struct walk *w, size_t start, size_t end)
{
	static const char word[] = "\"suspend";
	size_t next = skip_blanks(w->text, w->length, end);
	size_t *grown;

	if (!w->want_key || end - start < sizeof(word) ||
	    memcmp(w->text + start, word, sizeof(word) - 1) != 0)
		return 0;
	if (next >= w->length || (w->text[next] != ',' && w->text[next] != '}'))
		return 0;
	grown = lab_grow(w->bare.ends, w->bare.count, sizeof(*grown));
	if (!grown)
		return -ENOMEM;
	w->bare.ends = grown;
	w->bare.ends[w->bare.count++] = end;
	return 0;
}

static void walk_comma(struct walk *w, size_t at)
{
	size_t next = skip_blanks(w->text, w->length, at + 1);
	bool after_value = w->last != '{' && w->last != '[' && w->last != ',';

	if (after_value && next < w->length &&
	    (w->text[next] == '}' || w->text[next] == ']'))
		w->text[at] = ' ';
}

/* One byte outside of strings that is no blank. */
static int walk_byte(struct walk *w, size_t at, struct lab_fault *fault)
{
	switch (w->text[at]) {
	case '{':
	case '[':
		if (w->depth == LAB_NESTING_MAX) {
			fault->offset = at;
			fault->what = "nested too deeply, expected at most 64 "
				      "objects and arrays in one another";
			return -EINVAL;
		}
		w->in_object[++w->depth] = w->text[at] == '{';
		w->want_key = w->in_object[w->depth];
		break;
	case '}':
	case ']':
		if (w->depth > 0)
			w->depth--;
		w->want_key = false;
		break;
	case ',':
		walk_comma(w, at);
		w->want_key = w->in_object[w->depth];
		break;
	default:
		w->want_key = false;
		break;
	}
	return 0;
}

static int walk_structure(struct walk *w, struct lab_fault *fault)
{
	size_t i = skip_blanks(w->text, w->length, 0);

	while (i < w->length) {
		size_t end = i + 1;
		int r;

		if (w->text[i] == '"') {
			end = string_end(w->text, w->length, i);
			r = walk_string(w, i, end);
			w->want_key = false;
			w->last = '"';
		} else {
			char byte = w->text[i];

			r = walk_byte(w, i, fault);
			w->last = byte;
		}
		if (r < 0)
			return r;
		i = skip_blanks(w->text, w->length, end);
	}
	return 0;
}

int lab_lenient(char *text, size_t length, struct lab_bare *ret_bare,
		struct lab_fault *ret_fault)
{
	struct walk w = {.text = text, .length = length};
	int r;

	if (length >= 3 && memcmp(text, "\xEF\xBB\xBF", 3) == 0)
		memset(text, ' ', 3);
	r = blank_comments(text, length, ret_fault);
	if (r == 0)
		r = walk_structure(&w, ret_fault);
	if (r < 0) {
		free(w.bare.ends);
		return r;
	}
	*ret_bare = w.bare;
	return 0;
}
