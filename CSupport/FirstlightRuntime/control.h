// How the copies of the runtime in a process's images find each other: by a note in each image.
// Nothing of it lies in a shared file, which another process could write to.
#ifndef FL_CONTROL_H
#define FL_CONTROL_H

#include <stdbool.h>
#include <stdint.h>

#include "attributes.h"

/// Whether nobody in this process has said a line on standard error yet; from now on somebody has.
FL_HIDDEN bool fl_control_may_say(void);

/// Maps the process file again that another image of this process has mapped: where the program has
/// given up its rights, it could not be opened. Null: no other image has.
FL_HIDDEN struct fl_process_header *fl_control_share_process(void);

/// To be called once this image is being recorded.
FL_HIDDEN void fl_control_started(void);

#endif
