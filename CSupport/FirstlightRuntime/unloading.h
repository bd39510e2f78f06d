// Whether this image is being unloaded, or the program exits. Both call the image's destructors,
// but at exit other threads may still run in the image.
#ifndef FL_UNLOADING_H
#define FL_UNLOADING_H

#include <stdbool.h>

#include "attributes.h"

/// Monitors the program's exit. To be called once this process is recorded; later calls do nothing.
FL_HIDDEN void fl_unloading_watch(void);

/// In the image's last destructor: whether the loader is about to unmap the image.
FL_HIDDEN bool fl_unloading_has_begun(void);

#endif
