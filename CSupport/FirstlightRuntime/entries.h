// The functions of an image with entry hooks. Such a hook receives its function's address, not a
// guard.
//
// Each function with an unwind entry has a guard, in memory that exists while the image is
// recorded; its index is the place of the function's address in the sorted table of .eh_frame_hdr.
// Beside the guards, one byte for every eight bytes of code says whether the function that begins
// there has a cleared guard, so that later calls need no look-up. No two functions share such a
// byte: each begins by passing an address and calling the hook, which takes more than eight bytes.
#ifndef FL_ENTRIES_H
#define FL_ENTRIES_H

#include <stdbool.h>
#include <stdint.h>

#include "attributes.h"

enum { FL_ENTRY_STEP = 8 };

/// One pair of .eh_frame_hdr's table, as distances from the section's start.
struct fl_unwind_entry {
  int32_t function, description;
};

struct fl_entries {
  // Read by each call. `size` is 0 until recording starts, and stored last.
  uintptr_t size;     // bytes of code
  uintptr_t code;     // run-time address of its first byte
  uint8_t *cleared;   // for each step of the code, 1 once a cleared guard was seen there
  bool has_begun;         // whether the runtime's constructors have begun
  uint32_t early_count;  // functions that were called before
  const uint8_t *frames;                // .eh_frame_hdr
  const struct fl_unwind_entry *table;  // null without entry hooks
  uintptr_t code_size;  // `size` once recording starts
  void *memory;
  uintptr_t memory_size;
};

extern __attribute__((visibility("hidden"))) struct fl_entries fl_entries;

/// Finds the functions of this image, and starts recording if this process is to be recorded.
FL_HIDDEN void fl_entries_attach(void);

/// Records the calls that came before, if this image is being recorded now.
FL_HIDDEN void fl_entries_settle(void);

/// Maps memory for the state of the functions, if the image has entry hooks and no such memory yet.
/// False on failure, with errno.
FL_HIDDEN bool fl_entries_map(void);

/// Makes hooks look up functions. To be called once all guards are set.
FL_HIDDEN void fl_entries_begin(void);

/// Unmaps the state, before the image is unloaded.
FL_HIDDEN void fl_entries_unmap(void);

/// Handles a call that is not known to be a later one.
FL_HIDDEN void fl_entries_look(uintptr_t function, void *caller);

#endif
