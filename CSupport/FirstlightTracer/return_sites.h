// The places that watched calls return to. Each has a breakpoint while a return is awaited.
#ifndef FL_TRACER_RETURN_SITES_H
#define FL_TRACER_RETURN_SITES_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "arch.h"

/// Kept when no return is awaited any more: a forked child's memory, which is a copy from a moment
/// ago, may still have the breakpoint.
struct fl_return_site {
  uint64_t address;  // run-time; 0: unused
  uint32_t waiting;  // awaited returns
  uint32_t passed;  // hits by other calls
  pid_t stepper;  // the thread that stepped over it while a return was awaited;
                 // 0: none; -1: several
  bool is_planted;
  uint8_t saved[FL_BREAKPOINT_MAX];
};

/// A hash table by address. Zero is an empty one.
struct fl_return_sites {
  struct fl_return_site *items;  // a power of two
  uint32_t capacity, count;
};

struct fl_return_site *fl_return_site_find(const struct fl_return_sites *sites, uint64_t address);
/// Finds or adds; NULL for want of memory. Valid until the next addition.
struct fl_return_site *fl_return_site_add(struct fl_return_sites *sites, uint64_t address);
/// Drops the places that are not mapped any more: other code may be mapped there later.
void fl_return_sites_keep(struct fl_return_sites *sites,
                          bool (*is_mapped)(const void *context, uint64_t address),
                          const void *context);
/// False for want of memory.
bool fl_return_sites_copy(struct fl_return_sites *to, const struct fl_return_sites *from);
void fl_return_sites_free(struct fl_return_sites *sites);

#endif
