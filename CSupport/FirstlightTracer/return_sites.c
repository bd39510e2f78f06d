#include "return_sites.h"

#include <stdlib.h>
#include <string.h>

static struct fl_return_site *slot(const struct fl_return_sites *sites, uint64_t address) {
  uint32_t mask = sites->capacity - 1;
  uint32_t at = (uint32_t)(address * 0x9e3779b97f4a7c15ull >> 32) & mask;
  while (sites->items[at].address != 0 && sites->items[at].address != address) at = (at + 1) & mask;
  return &sites->items[at];
}

struct fl_return_site *fl_return_site_find(const struct fl_return_sites *sites, uint64_t address) {
  if (sites->count == 0) return NULL;
  struct fl_return_site *site = slot(sites, address);
  return site->address == 0 ? NULL : site;
}

/// Moves the places for which `stays` is true to a table of this capacity.
static bool rebuild(struct fl_return_sites *sites, uint32_t capacity,
                    bool (*stays)(const void *context, uint64_t address), const void *context) {
  struct fl_return_sites grown = {.capacity = capacity};
  grown.items = calloc(capacity, sizeof *grown.items);
  if (grown.items == NULL) return false;
  for (uint32_t i = 0; i < sites->capacity; i++) {
    uint64_t address = sites->items[i].address;
    if (address == 0 || (stays != NULL && !stays(context, address))) continue;
    *slot(&grown, address) = sites->items[i];
    grown.count++;
  }
  free(sites->items);
  *sites = grown;
  return true;
}

struct fl_return_site *fl_return_site_add(struct fl_return_sites *sites, uint64_t address) {
  if (sites->count * 2 >= sites->capacity &&
      !rebuild(sites, sites->capacity == 0 ? 64 : sites->capacity * 2, NULL, NULL))
    return NULL;
  struct fl_return_site *site = slot(sites, address);
  if (site->address == 0) {
    *site = (struct fl_return_site){.address = address};
    sites->count++;
  }
  return site;
}

void fl_return_sites_keep(struct fl_return_sites *sites,
                          bool (*is_mapped)(const void *context, uint64_t address),
                          const void *context) {
  if (sites->count > 0) rebuild(sites, sites->capacity, is_mapped, context);
}

bool fl_return_sites_copy(struct fl_return_sites *to, const struct fl_return_sites *from) {
  *to = (struct fl_return_sites){0};
  if (from->count == 0) return true;
  to->items = malloc(from->capacity * sizeof *to->items);
  if (to->items == NULL) return false;
  memcpy(to->items, from->items, from->capacity * sizeof *to->items);
  to->capacity = from->capacity;
  to->count = from->count;
  return true;
}

void fl_return_sites_free(struct fl_return_sites *sites) {
  free(sites->items);
  *sites = (struct fl_return_sites){0};
}
