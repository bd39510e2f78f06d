// Files of forked children in programs that may confine themselves.
#ifndef FL_FORK_H
#define FL_FORK_H

#include <stdbool.h>

#include "attributes.h"

/// Registers handlers that run within fork(). To be called once, without the loader's lock:
/// before_fork takes that lock while libc holds its lock of handlers.
FL_HIDDEN void fl_fork_handle(void);

/// Waits until no other thread is in a handler of this image, which is being unloaded: libc runs
/// these handlers no more, but does not wait (glibc 2.36).
FL_HIDDEN void fl_fork_leave(void);

/// Makes libc's forks wait until the end of a call that holds the loader's lock: in the child, that
/// lock would stay taken for ever. Returns the argument for fl_fork_admit.
FL_HIDDEN bool fl_fork_exclude(void);
FL_HIDDEN void fl_fork_admit(bool was_excluded);

#endif
