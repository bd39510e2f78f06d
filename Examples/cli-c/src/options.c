#include "options.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static int usage(FILE *out, int status) {
  fputs("usage: wordstat [-f FORMAT] [-n COUNT] [-l] [FILE...]\n"
        "  -f FORMAT  text (default), json or csv\n"
        "  -n COUNT   list the COUNT most frequent words (default 10)\n"
        "  -l         list the formats\n",
        out);
  return status;
}

static int parse_count(const char *text, size_t *count) {
  char *end;
  unsigned long value = strtoul(text, &end, 10);
  if (end == text || *end != '\0') return -1;
  *count = value;
  return 0;
}

int options_parse(struct options *options, int argc, char **argv) {
  *options = (struct options){.format = "text", .top = 10};
  int option;
  while ((option = getopt(argc, argv, "f:n:l")) != -1) {
    switch (option) {
    case 'f':
      options->format = optarg;
      break;
    case 'n':
      if (parse_count(optarg, &options->top) != 0) {
        fprintf(stderr, "wordstat: -n wants a number, not '%s'\n", optarg);
        return usage(stderr, 64);
      }
      break;
    case 'l':
      options->list_formats = 1;
      break;
    default:
      return usage(stderr, 64);
    }
  }
  options->first_file = optind;
  return 0;
}
