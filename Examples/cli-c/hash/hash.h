// A string-to-count hash table: the static library of the example.
#ifndef WORDSTAT_HASH_H
#define WORDSTAT_HASH_H

#include <stddef.h>
#include <stdint.h>

struct hash_entry {
  char *word;  // owned by the table
  size_t count;
};

struct hash_table;

// FNV-1a over LENGTH bytes.
uint64_t hash_bytes(const char *bytes, size_t length);

// NULL when out of memory.
struct hash_table *hash_table_create(void);
void hash_table_destroy(struct hash_table *table);

// Counts one more of the word. Returns 0, or -1 when out of memory.
int hash_table_add(struct hash_table *table, const char *word, size_t length);

// 0 for a word that was never added.
size_t hash_table_count(const struct hash_table *table, const char *word, size_t length);

// Words counted so far, each once.
size_t hash_table_size(const struct hash_table *table);

// The entries, highest count first, then by word; an array of hash_table_size entries that the
// caller frees. The words in it stay the table's. NULL when out of memory.
struct hash_entry *hash_table_sorted(const struct hash_table *table);

// Forgets every word.
void hash_table_clear(struct hash_table *table);

#endif
