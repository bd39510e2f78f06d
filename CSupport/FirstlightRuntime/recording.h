// Recording of this image: how it starts, goes on in a forked child, starts over, and ends.
#ifndef FL_RECORDING_H
#define FL_RECORDING_H

#include <stdbool.h>
#include <stdint.h>

#include "attributes.h"

/// Remembers the image's guards, and starts recording if this process is to be recorded.
FL_HIDDEN void fl_recording_attach(uint32_t *start, uint32_t *stop);

/// Starts recording this image. False: not possible; a line on standard error or a notice in the
/// process file says why.
FL_HIDDEN bool fl_recording_start(void);

/// Replaces the current segment by a new one, removes its file and sets all guards again. False:
/// not possible, and nothing has changed; `errno` says why.
FL_HIDDEN bool fl_recording_restart(void);

/// Waits until all records are on the storage. False: `errno` says why.
FL_HIDDEN bool fl_recording_flush(void);

/// Unmaps the image's files: it is being unloaded.
FL_HIDDEN void fl_recording_end(void);

/// Passes the image's gate: in a forked child, the first thread creates the files, and the guards
/// go on from the parent's. Returns what fl_gate_pass does. With FL_CLOSED nothing is recorded;
/// with other values but FL_OPEN, guards stay set for their next calls.
FL_HIDDEN int fl_recording_pass(void);

#endif
