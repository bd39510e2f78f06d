#include "format.h"

// text.c, json.c and csv.c each have static functions of these names.
static void begin(FILE *out, const struct totals *totals) {
  fprintf(out, "%zu lines, %zu words (%zu distinct), %zu bytes\n", totals->lines, totals->words,
          totals->distinct, totals->bytes);
}

static void row(FILE *out, size_t index, const char *word, size_t count) {
  fprintf(out, "%3zu. %-16s %zu\n", index + 1, word, count);
}

static void end(FILE *out) { fflush(out); }

const struct format format_text = {"text", begin, row, end};
