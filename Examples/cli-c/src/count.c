#include "count.h"

#include <ctype.h>

enum { longest_word = 255 };

// Letters, digits and bytes past ASCII (UTF-8) make a word; so does an apostrophe inside one.
static int is_word_byte(int byte, size_t length) {
  return isalnum(byte) || byte >= 0x80 || (byte == '\'' && length > 0);
}

int count_stream(FILE *in, struct hash_table *words, struct totals *totals) {
  char word[longest_word];
  size_t length = 0;
  int byte;
  do {
    byte = getc(in);
    if (byte != EOF) totals->bytes++;
    if (byte == '\n') totals->lines++;
    if (byte != EOF && is_word_byte(byte, length)) {
      if (length < longest_word) word[length++] = (char)tolower(byte);
    } else if (length > 0) {
      if (hash_table_add(words, word, length) != 0) return -1;
      totals->words++;
      length = 0;
    }
  } while (byte != EOF);
  return 0;
}
