// Lets one thread of a process create a forked child's files while the others wait.
#ifndef FL_GATE_H
#define FL_GATE_H

#include <stdbool.h>

#include "attributes.h"

// Values of a gate, the first word of a page that the kernel wipes on fork. WIPED: a forked child
// without files yet. OPEN: the files exist. CLOSED: not recorded. ABANDONED: the creating thread
// has left the work or takes too long, and calls are not recorded until it is done. Any other value
// is that thread's id, with a bit for waiting threads.
enum { FL_WIPED = 0, FL_OPEN = -1, FL_CLOSED = -2, FL_ABANDONED = -3, FL_AWAITED = 1 << 30 };

struct fl_gate {
  /// Creates the files, in a critical section. Returns FL_OPEN or FL_CLOSED.
  int (*create)(void);
  /// Counts a loss: nothing is recorded. Makes no system call. `error` is 0 if the process may be
  /// confined, else an `errno`.
  void (*count_loss)(int error);
};

/// Maps a page for a gate, in the state FL_WIPED. Null on failure, with errno.
FL_HIDDEN void *fl_gate_map(void);

FL_HIDDEN void fl_gate_unmap(int *gate);

/// Returns the gate's state after the first thread has created the files. Values except FL_OPEN and
/// FL_CLOSED mean "not now": the caller interrupted this very work, or the work is abandoned. Keeps
/// `errno`.
FL_HIDDEN int fl_gate_pass(int *state, const struct fl_gate *gate);

/// Claims a gate for one thread at a time, as a lock. False if this thread has it already, or if
/// its holder takes too long.
FL_HIDDEN bool fl_gate_claim(int *state);

/// Ends the claim.
FL_HIDDEN void fl_gate_give_back(int *state);

/// Ends the claim permanently: no thread waits for the gate any more.
FL_HIDDEN void fl_gate_abandon(int *state);

#endif
