// Requests the pages that the program's start-up will touch, before any other code of it runs.
// Linked into users' executables, not into shared libraries: they have no .preinit_array.
//
// madvise(MADV_WILLNEED) starts reading and returns. The program then finds most pages in memory or
// being read, instead of waiting for the disk at each. It is only advice: if the table belongs to
// another build, or the advice is ignored, the program runs as without it.
#define _GNU_SOURCE
#include "firstlight_prefetch.h"

#include <stddef.h>
#include <sys/auxv.h>
#include <sys/mman.h>

#if defined(__clang__)
#define FL_PLAIN __attribute__((no_sanitize("all"), no_profile_instrument_function))
#else
#define FL_PLAIN
#endif

// Volatile: the table is filled in after compilation.
static const volatile struct fl_prefetch_table table = {.mark = FL_PREFETCH_MARK};

// The first byte of the executable's image; defined by the linker.
extern const char __executable_start[] __attribute__((visibility("hidden")));

FL_PLAIN static void firstlight_prefetch(void) {
  uintptr_t page_size = getauxval(AT_PAGESZ);
  if (page_size == 0) return;
  uint32_t count = table.count;
  for (uint32_t index = 0; index < count && index < FL_PREFETCH_CAPACITY; index++) {
    uintptr_t from = (uintptr_t)__executable_start + (uintptr_t)table.ranges[index].page * 4096;
    uintptr_t to = from + (uintptr_t)table.ranges[index].count * 4096;
    from &= ~(page_size - 1);
    madvise((void *)from, to - from, MADV_WILLNEED);
  }
}

__attribute__((section(".preinit_array"),
               used)) static void (*const entry)(void) = firstlight_prefetch;
