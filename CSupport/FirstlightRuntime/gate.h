// What one thread of a process creates while the others wait: a forked child's files.
#ifndef FL_GATE_H
#define FL_GATE_H

#include <stdbool.h>

#include "attributes.h"

// Values of a gate, the first word of a page that the kernel wipes on fork. WIPED: this is a forked
// child that has no files yet. OPEN: it has. CLOSED: it is not recorded. ABANDONED: the thread that
// creates the files has left the work or is long at it, and calls are not recorded until it is
// done. Any other value is that thread's id, and whether others wait.
enum { FL_WIPED = 0, FL_OPEN = -1, FL_CLOSED = -2, FL_ABANDONED = -3, FL_AWAITED = 1 << 30 };

struct fl_gate {
  /// Creates the files, in a critical section. Returns FL_OPEN or FL_CLOSED.
  int (*create)(void);
  /// Counts that nothing is recorded. Makes no system call. 0: the process may be confined; else
  /// an `errno`.
  void (*count_loss)(int error);
};

/// Maps a page for a gate, which is FL_WIPED. Null: `errno` says why.
FL_HIDDEN void *fl_gate_map(void);

/// Returns the gate's state after the first thread has created the files. Other values than FL_OPEN
/// and FL_CLOSED mean "not now": called by a handler that interrupted this very work, or abandoned.
/// Keeps `errno`.
FL_HIDDEN int fl_gate_pass(int *state, const struct fl_gate *gate);

/// Claims a gate for one thread at a time: a lock. False: this thread has it already, or the one
/// that has it is long at its work.
FL_HIDDEN bool fl_gate_claim(int *state);

/// Ends the claim.
FL_HIDDEN void fl_gate_give_back(int *state);

/// Ends the claim for good: no thread waits for the gate any more.
FL_HIDDEN void fl_gate_abandon(int *state);

#endif
