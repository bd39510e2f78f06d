// The state of this image's copy of the runtime.
#ifndef FL_IMAGE_STATE_H
#define FL_IMAGE_STATE_H

#include <stdint.h>

#include "attributes.h"
#include "firstlight_abi.h"

enum fl_recording { FL_OFF, FL_ON };

struct fl_marks;

/// The interface of the compiler's counters, which only counted builds have.
struct fl_counters {
  /// Gives the image's counters a file beside its segment of this number.
  void (*begin)(uint32_t segment);
};

// Written by constructors, which the loader runs one at a time, and by a forked child before it
// opens the gate.
struct fl_image_state {
  struct fl_process_header *process;
  int *gate;  // see gate.h; null while there is no process file
  enum fl_recording recording;
  uint32_t guard_count;    // 0 if no function of the image can be recorded
  uint32_t *guards;  // a set one holds its index + 1; entry hooks: null until recording starts
  uintptr_t image_start;  // run-time address of the image's first mapped byte
  uint32_t number;  // the segment's number, as in its file's name
  uint32_t generation;  // 1, incremented by each fork
  struct fl_segment_header *segment;
  // Null in an image without marks that was linked without them. Set by the marks' constructor, not
  // by a weak symbol, since linkers differ in the address of a missing weak symbol.
  const struct fl_marks *marks;
  const struct fl_counters *counters;  // null without counters; set like the marks
};

extern __attribute__((visibility("hidden"))) struct fl_image_state fl_image_state;

#endif
