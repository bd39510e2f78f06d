#include "format.h"

static void string(FILE *out, const char *text) {
  fputc('"', out);
  for (const unsigned char *c = (const unsigned char *)text; *c; c++) {
    if (*c == '"' || *c == '\\') {
      fprintf(out, "\\%c", *c);
    } else if (*c < 0x20) {
      fprintf(out, "\\u%04x", *c);
    } else {
      fputc(*c, out);
    }
  }
  fputc('"', out);
}

static void begin(FILE *out, const struct totals *totals) {
  fprintf(out, "{\"lines\":%zu,\"words\":%zu,\"distinct\":%zu,\"bytes\":%zu,\"top\":[",
          totals->lines, totals->words, totals->distinct, totals->bytes);
}

static void row(FILE *out, size_t index, const char *word, size_t count) {
  fputs(index == 0 ? "{\"word\":" : ",{\"word\":", out);
  string(out, word);
  fprintf(out, ",\"count\":%zu}", count);
}

static void end(FILE *out) { fputs("]}\n", out); }

const struct format format_json = {"json", begin, row, end};
