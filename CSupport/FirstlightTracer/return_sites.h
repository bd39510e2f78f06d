// The places that calls return to, each with a breakpoint while somebody is waited for there.
#ifndef FL_TRACER_RETURN_SITES_H
#define FL_TRACER_RETURN_SITES_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "arch.h"

/// A place that is never forgotten, though nobody may be waited for there any more: the memory of a
/// forked child, which is a copy from a moment ago, may still have the breakpoint.
struct fl_return_site {
  uint64_t address;  // run-time; 0: unused
  uint32_t waiting;  // calls that are to return here
  uint32_t passed;  // hits by others than those waited for
  pid_t stepper;  // the thread that stepped over it while somebody was waited for; 0: none;
                  // -1: several
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
/// Forgets those outside of `is_mapped`: other code may come to lie there.
void fl_return_sites_keep(struct fl_return_sites *sites,
                          bool (*is_mapped)(const void *context, uint64_t address),
                          const void *context);
/// False for want of memory.
bool fl_return_sites_copy(struct fl_return_sites *to, const struct fl_return_sites *from);
void fl_return_sites_free(struct fl_return_sites *sites);

#endif
