// Keeps a program alive when a file of the runtime is truncated or its storage fails: the kernel
// answers the next store with SIGBUS.
#ifndef FL_FAULT_H
#define FL_FAULT_H

#include <stdbool.h>

#include "attributes.h"

/// Handles SIGBUS, unless the program does: replaces the truncated file's mapping by anonymous
/// memory. In a constructor, waits for the image's other constructors.
FL_HIDDEN void fl_fault_handle(void);

/// Restores the default action of SIGBUS if this image's handler was installed, and returns whether
/// it was.
FL_HIDDEN bool fl_fault_stop_handling(void);

#endif
