// Builds and reads short texts without stdio, which is not safe in a forked child.
#ifndef FL_TEXT_H
#define FL_TEXT_H

#include <stddef.h>
#include <stdint.h>

#include "attributes.h"

/// Text under construction; truncated if it does not fit.
struct text {
  char *bytes;
  size_t size, capacity;
};

FL_LOCAL inline void append(struct text *text, const char *more) {
  while (*more != '\0' && text->size + 1 < text->capacity) text->bytes[text->size++] = *more++;
  text->bytes[text->size] = '\0';
}

FL_LOCAL inline void append_number(struct text *text, uint64_t number, unsigned base, int width) {
  char digits[24];
  int at = sizeof digits;
  digits[--at] = '\0';
  do {
    digits[--at] = "0123456789abcdef"[number % base];
    number /= base;
    width--;
  } while (number != 0 || width > 0);
  append(text, digits + at);
}

/// The decimal number that `text` begins with. Replaces strtoull: newer headers of glibc give that
/// a name which neither older glibc nor musl has.
FL_LOCAL inline uint64_t read_number(const char *text) {
  uint64_t number = 0;
  for (; *text >= '0' && *text <= '9'; text++) number = number * 10 + (uint64_t)(*text - '0');
  return number;
}

#endif
