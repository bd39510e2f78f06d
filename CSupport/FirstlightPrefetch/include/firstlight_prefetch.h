// The table that `firstlight optimize` fills in: the pages of a program that its start-up touches.
//
//   bytes  0..15  FL_PREFETCH_MARK, by which the tool finds the table in the object file
//         16..19  number of ranges in use
//         20..    FL_PREFETCH_CAPACITY ranges: first page, then number of pages, 32 bits each
//
// Pages have 4 KiB on all machines, counted from the start of the executable's image; numbers are
// in the machine's byte order.
#ifndef FIRSTLIGHT_PREFETCH_H
#define FIRSTLIGHT_PREFETCH_H

#include <stdint.h>

#define FL_PREFETCH_MARK "firstlight.pages"
#define FL_PREFETCH_CAPACITY 509

struct fl_prefetch_range {
  uint32_t page;
  uint32_t count;
};

// Compilers with this attribute warn about a string without a final NUL.
#if defined(__has_attribute) && __has_attribute(nonstring)
#define FL_NONSTRING __attribute__((nonstring))
#else
#define FL_NONSTRING
#endif

struct fl_prefetch_table {
  char mark[16] FL_NONSTRING;
  uint32_t count;
  struct fl_prefetch_range ranges[FL_PREFETCH_CAPACITY];
};

_Static_assert(sizeof(struct fl_prefetch_table) == 20 + 8 * FL_PREFETCH_CAPACITY,
               "the tool writes the table by these offsets");

#endif
