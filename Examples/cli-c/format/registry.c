#include "format.h"

#include <string.h>

static const struct format *const formats[] = {&format_text, &format_json, &format_csv};

enum { format_count = sizeof formats / sizeof formats[0] };

const struct format *format_named(const char *name) {
  for (size_t i = 0; i < format_count; i++) {
    if (strcmp(formats[i]->name, name) == 0) return formats[i];
  }
  return NULL;
}

void format_list(FILE *out) {
  for (size_t i = 0; i < format_count; i++) fprintf(out, "%s\n", formats[i]->name);
}
