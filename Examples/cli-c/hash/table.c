#include "hash.h"

#include <stdlib.h>
#include <string.h>

// Open addressing, a power of two of slots, at most three quarters full.
struct hash_table {
  struct hash_entry *slots;  // an empty slot has no word
  size_t capacity;
  size_t used;
};

enum { initial_capacity = 64 };

struct hash_table *hash_table_create(void) {
  struct hash_table *table = malloc(sizeof *table);
  if (!table) return NULL;
  table->slots = calloc(initial_capacity, sizeof *table->slots);
  if (!table->slots) {
    free(table);
    return NULL;
  }
  table->capacity = initial_capacity;
  table->used = 0;
  return table;
}

void hash_table_clear(struct hash_table *table) {
  for (size_t i = 0; i < table->capacity; i++) {
    free(table->slots[i].word);
    table->slots[i] = (struct hash_entry){NULL, 0};
  }
  table->used = 0;
}

void hash_table_destroy(struct hash_table *table) {
  if (!table) return;
  for (size_t i = 0; i < table->capacity; i++) free(table->slots[i].word);
  free(table->slots);
  free(table);
}

static int same_word(const struct hash_entry *entry, const char *word, size_t length) {
  return strncmp(entry->word, word, length) == 0 && entry->word[length] == '\0';
}

// The word's slot, or the empty one where it would go.
static struct hash_entry *find(struct hash_entry *slots, size_t capacity, const char *word,
                               size_t length) {
  size_t at = hash_bytes(word, length) & (capacity - 1);
  while (slots[at].word && !same_word(&slots[at], word, length)) at = (at + 1) & (capacity - 1);
  return &slots[at];
}

static int grow(struct hash_table *table) {
  size_t capacity = table->capacity * 2;
  struct hash_entry *slots = calloc(capacity, sizeof *slots);
  if (!slots) return -1;
  for (size_t i = 0; i < table->capacity; i++) {
    const struct hash_entry *entry = &table->slots[i];
    if (entry->word) *find(slots, capacity, entry->word, strlen(entry->word)) = *entry;
  }
  free(table->slots);
  table->slots = slots;
  table->capacity = capacity;
  return 0;
}

int hash_table_add(struct hash_table *table, const char *word, size_t length) {
  if (table->used * 4 >= table->capacity * 3 && grow(table) != 0) return -1;
  struct hash_entry *entry = find(table->slots, table->capacity, word, length);
  if (!entry->word) {
    entry->word = malloc(length + 1);
    if (!entry->word) return -1;
    memcpy(entry->word, word, length);
    entry->word[length] = '\0';
    table->used++;
  }
  entry->count++;
  return 0;
}

size_t hash_table_count(const struct hash_table *table, const char *word, size_t length) {
  return find(table->slots, table->capacity, word, length)->count;
}

size_t hash_table_size(const struct hash_table *table) { return table->used; }

static int by_count_then_word(const void *left, const void *right) {
  const struct hash_entry *a = left, *b = right;
  if (a->count != b->count) return a->count < b->count ? 1 : -1;
  return strcmp(a->word, b->word);
}

struct hash_entry *hash_table_sorted(const struct hash_table *table) {
  struct hash_entry *entries = calloc(table->used + 1, sizeof *entries);
  if (!entries) return NULL;
  size_t count = 0;
  for (size_t i = 0; i < table->capacity; i++) {
    if (table->slots[i].word) entries[count++] = table->slots[i];
  }
  qsort(entries, count, sizeof *entries, by_count_then_word);
  return entries;
}
