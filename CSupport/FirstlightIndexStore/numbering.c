#include "numbering.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// Where a key is, or would be. Fibonacci hashing (Knuth, The Art of Computer Programming 6.4).
static size_t place_of(const struct numbering *numbering, const void *key) {
  size_t place = (size_t)(((uint64_t)(uintptr_t)key * 0x9e3779b97f4a7c15) >> 32);
  while (true) {
    place &= numbering->room - 1;
    if (numbering->keys[place] == NULL || numbering->keys[place] == key) return place;
    place++;
  }
}

static void grow(struct numbering *numbering) {
  struct numbering larger = {.room = numbering->room ? 2 * numbering->room : 1024,
                             .count = numbering->count};
  larger.keys = calloc(larger.room, sizeof *larger.keys);
  larger.numbers = calloc(larger.room, sizeof *larger.numbers);
  if (larger.keys == NULL || larger.numbers == NULL) _exit(1);
  for (size_t at = 0; at < numbering->room; at++) {
    if (numbering->keys[at] == NULL) continue;
    size_t place = place_of(&larger, numbering->keys[at]);
    larger.keys[place] = numbering->keys[at];
    larger.numbers[place] = numbering->numbers[at];
  }
  free(numbering->keys);
  free(numbering->numbers);
  *numbering = larger;
}

void numbering_clear(struct numbering *numbering) {
  if (numbering->room > 0) memset(numbering->keys, 0, numbering->room * sizeof *numbering->keys);
  numbering->count = 0;
}

bool numbering_add(struct numbering *numbering, const void *key) {
  if (2 * (size_t)numbering->count >= numbering->room) grow(numbering);
  size_t place = place_of(numbering, key);
  if (numbering->keys[place] == key) return false;
  numbering->keys[place] = key;
  numbering->numbers[place] = numbering->count++;
  return true;
}

uint32_t numbering_find(const struct numbering *numbering, const void *key) {
  if (numbering->room == 0) return UINT32_MAX;
  size_t place = place_of(numbering, key);
  return numbering->keys[place] == key ? numbering->numbers[place] : UINT32_MAX;
}
