#ifndef WORDSTAT_COUNT_H
#define WORDSTAT_COUNT_H

#include "../format/format.h"
#include "../hash/hash.h"

// Reads IN to its end, counts into both. Returns 0, or -1 when out of memory.
int count_stream(FILE *in, struct hash_table *words, struct totals *totals);

#endif
