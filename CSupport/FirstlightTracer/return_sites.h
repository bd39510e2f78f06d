// The return addresses of watched calls. Each has a breakpoint while a return is awaited.
#ifndef FL_TRACER_RETURN_SITES_H
#define FL_TRACER_RETURN_SITES_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "arch.h"

/// Kept even when no return is awaited any more, because the memory of a forked child is a slightly
/// older copy that may still have the breakpoint.
struct fl_return_site {
  uint64_t address;  // run-time address; 0: an unused item
  uint32_t waiting;  // number of awaited returns
  uint32_t passed;  // number of hits by other calls
  pid_t stepper;  // thread that stepped over it during a wait; 0: none; -1: several
  bool is_planted;
  uint8_t saved[FL_BREAKPOINT_MAX];
};

/// A hash table by address. All zeros mean an empty one.
struct fl_return_sites {
  struct fl_return_site *items;  // as many as `capacity`, a power of two
  uint32_t capacity, count;
};

struct fl_return_site *fl_return_site_find(const struct fl_return_sites *sites, uint64_t address);
/// Finds or adds a place; NULL if memory is exhausted. Valid until the next addition.
struct fl_return_site *fl_return_site_add(struct fl_return_sites *sites, uint64_t address);
/// Drops places that are not mapped any more, because other code may be mapped there later.
void fl_return_sites_keep(struct fl_return_sites *sites,
                          bool (*is_mapped)(const void *context, uint64_t address),
                          const void *context);
/// False if memory is exhausted.
bool fl_return_sites_copy(struct fl_return_sites *to, const struct fl_return_sites *from);
void fl_return_sites_free(struct fl_return_sites *sites);

#endif
