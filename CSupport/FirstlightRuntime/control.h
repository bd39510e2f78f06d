// How the copies of the runtime in a process's images find each other: by a note in each image.
// Nothing of it lies in a shared file, which another process could write to.
#ifndef FL_CONTROL_H
#define FL_CONTROL_H

#include <stdbool.h>
#include <stdint.h>

#include "attributes.h"

/// Where this process remembers that it has said a line on standard error.
FL_HIDDEN uint32_t *fl_control_said(void);

/// Where another image of this process is being recorded to; null: nowhere.
FL_HIDDEN const char *fl_control_directory(void);

/// To be called once this image is being recorded.
FL_HIDDEN void fl_control_started(void);

#endif
