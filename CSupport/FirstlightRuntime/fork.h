// Files of forked children in programs that may confine themselves.
#ifndef FL_FORK_H
#define FL_FORK_H

#include "attributes.h"

/// Registers handlers that run within fork(). To be called once, without the loader's lock:
/// before_fork asks for that lock while libc holds its lock of handlers.
FL_HIDDEN void fl_fork_handle(void);

#endif
