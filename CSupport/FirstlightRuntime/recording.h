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

/// Lets the first thread of a forked child create its files while the others wait. Its guards go on
/// from the parent's. False: called by a signal handler that interrupted this very work; the guard
/// stays set for its next call.
FL_HIDDEN bool fl_gate_pass(void);

#endif
