// Numbers the symbols of a record by their addresses, which stay while the record is open.
#ifndef FIRSTLIGHT_INDEX_NUMBERING_H
#define FIRSTLIGHT_INDEX_NUMBERING_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// A hash table with open addressing, at most half full.
struct numbering {
  const void **keys;  // NULL: free
  uint32_t *numbers;
  size_t room;  // a power of two, or 0
  uint32_t count;
};

void numbering_clear(struct numbering *numbering);

// Returns false if it has a number already. Out of memory ends the process.
bool numbering_add(struct numbering *numbering, const void *key);

// UINT32_MAX if it has none.
uint32_t numbering_find(const struct numbering *numbering, const void *key);
#endif
