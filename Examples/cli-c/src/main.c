// wordstat: counts lines, words and bytes, and lists the most frequent words.
#include "count.h"
#include "options.h"

#include <errno.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>

// Runs before main, so it is the first of the first calls.
__attribute__((constructor)) static void choose_locale(void) { setlocale(LC_ALL, ""); }

static int out_of_memory(void) {
  fputs("wordstat: out of memory\n", stderr);
  return 71;
}

static int count_file(const char *path, struct hash_table *words, struct totals *totals) {
  FILE *in = fopen(path, "r");
  if (!in) {
    fprintf(stderr, "wordstat: cannot read '%s': %s\n", path, strerror(errno));
    return 66;
  }
  int result = count_stream(in, words, totals);
  fclose(in);
  return result == 0 ? 0 : out_of_memory();
}

static int print(const struct format *format, const struct hash_table *words,
                 const struct totals *totals, size_t top) {
  struct hash_entry *entries = hash_table_sorted(words);
  if (!entries) return out_of_memory();
  format->begin(stdout, totals);
  for (size_t i = 0; i < top && i < totals->distinct; i++) {
    format->row(stdout, i, entries[i].word, entries[i].count);
  }
  format->end(stdout);
  free(entries);
  return 0;
}

int main(int argc, char **argv) {
  struct options options;
  int status = options_parse(&options, argc, argv);
  if (status != 0) return status;
  if (options.list_formats) {
    format_list(stdout);
    return 0;
  }
  const struct format *format = format_named(options.format);
  if (!format) {
    fprintf(stderr, "wordstat: no format '%s'; -l lists them\n", options.format);
    return 64;
  }
  struct hash_table *words = hash_table_create();
  if (!words) return out_of_memory();
  struct totals totals = {0};
  if (options.first_file == argc) {
    if (count_stream(stdin, words, &totals) != 0) status = out_of_memory();
  }
  for (int i = options.first_file; i < argc && status == 0; i++) {
    status = count_file(argv[i], words, &totals);
  }
  totals.distinct = hash_table_size(words);
  if (status == 0) status = print(format, words, &totals, options.top);
  hash_table_destroy(words);
  return status;
}
