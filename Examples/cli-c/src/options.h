#ifndef WORDSTAT_OPTIONS_H
#define WORDSTAT_OPTIONS_H

#include <stddef.h>

struct options {
  const char *format;
  size_t top;        // how many words to list
  int list_formats;  // only list the formats
  int first_file;    // index into argv; argc when standard input is to be read
};

// Returns 0, or an exit status after it has said on standard error what is wrong.
int options_parse(struct options *options, int argc, char **argv);

#endif
