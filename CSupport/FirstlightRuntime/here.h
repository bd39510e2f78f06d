// What this image's copy of the runtime knows.
#ifndef FL_HERE_H
#define FL_HERE_H

#include <stdbool.h>

#include "attributes.h"
#include "firstlight_abi.h"

enum fl_recording { FL_OFF, FL_ON };

// A set guard is its index + 1 in the low bits, and above them which of the image's last segments
// it is to be recorded into: a reset begins a new one while threads are still busy with the last.
enum { FL_GUARD_BITS = 27, FL_GUARD_MASK = (1 << FL_GUARD_BITS) - 1, FL_SEGMENTS = 32 };

// The gate. WIPED: this is a forked child that has no files yet. OPEN: go on. Else the id of the
// thread that is making them.
enum { FL_WIPED = 0, FL_OPEN = -1 };

// Written by constructors, which the loader runs one at a time, by a forked child before it opens
// the gate, and by reset, under the loader's lock.
struct fl_here {
  struct fl_process_header *process;
  int *gate;  // first word of a page that the kernel empties on fork
  enum fl_recording recording;
  uint32_t guard_count;
  uint32_t *guards;        // null: this image has none
  const uintptr_t *pcs;    // the PC table
  uint32_t pcs_count;
  uintptr_t image_start;   // run-time address of the image's first mapped byte
  uint32_t current;        // index of the current segment
  uint32_t number;         // the current segment's, as in its file's name
  uint32_t generation;     // 1, and one more with each fork
  struct fl_segment_header *segments[FL_SEGMENTS];
};

extern __attribute__((visibility("hidden"))) struct fl_here fl_here;

/// Remembers the image's guards, and starts recording it if this process is to be recorded.
FL_HIDDEN void fl_segment_attach(uint32_t *start, uint32_t *stop);

/// Starts recording this image. False: not possible; a line on standard error, or the process file,
/// says why.
FL_HIDDEN bool fl_segment_start(void);

/// Begins a new segment in place of the current one, whose file goes, and sets all guards again.
/// False: not possible, and all is as it was; `errno` says why.
FL_HIDDEN bool fl_segment_restart(void);

/// Starts a forked child's own files. Its guards go on from where the parent's were.
FL_HIDDEN void fl_segment_start_after_fork(void);

/// Notes in a segment where the PC table is. Null: there is no segment.
FL_HIDDEN void fl_segment_set_pcs(struct fl_segment_header *segment);

/// A segment's size in bytes.
FL_HIDDEN unsigned long fl_segment_size(void);

/// Lets the first thread of a forked child make its files while the others wait.
/// False: called by a signal handler that interrupted just that; the guard stays for its next call.
FL_HIDDEN bool fl_pass_gate(void);

/// Fills the process's files with memory of no file if somebody cuts them short, which would end
/// this program with SIGBUS. Does nothing where that has another action already. In a constructor
/// it waits for the image's other ones.
FL_HIDDEN void fl_survive_truncation(void);

/// Gives SIGBUS its default action back if it was this image that took it, and returns whether so.
FL_HIDDEN bool fl_survive_no_more(void);

#endif
