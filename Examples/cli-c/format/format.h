// Output formats: the shared library of the example.
#ifndef WORDSTAT_FORMAT_H
#define WORDSTAT_FORMAT_H

#include <stddef.h>
#include <stdio.h>

struct totals {
  size_t lines;
  size_t words;
  size_t bytes;
  size_t distinct;
};

// One way to write the result. `row` is called once for each of the most frequent words.
struct format {
  const char *name;
  void (*begin)(FILE *out, const struct totals *totals);
  void (*row)(FILE *out, size_t index, const char *word, size_t count);
  void (*end)(FILE *out);
};

extern const struct format format_text, format_json, format_csv;

// NULL for a name that nobody knows.
const struct format *format_named(const char *name);

// Names of all formats, one per line.
void format_list(FILE *out);

#endif
