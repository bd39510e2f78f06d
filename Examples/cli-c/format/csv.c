#include "format.h"

static void begin(FILE *out, const struct totals *totals) {
  (void)totals;
  fputs("rank,word,count\n", out);
}

static void row(FILE *out, size_t index, const char *word, size_t count) {
  fprintf(out, "%zu,%s,%zu\n", index + 1, word, count);
}

static void end(FILE *out) { fflush(out); }

const struct format format_csv = {"csv", begin, row, end};
