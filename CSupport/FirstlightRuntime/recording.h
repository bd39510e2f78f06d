// Recording of this image: its start, its continuation in a forked child, and its end.
#ifndef FL_RECORDING_H
#define FL_RECORDING_H

#include <stdbool.h>
#include <stdint.h>

#include "attributes.h"
#include "firstlight_abi.h"

/// Stores the image's guards (with entry hooks: null) and their number, and starts recording if
/// this process is to be recorded.
FL_HIDDEN void fl_recording_attach(uint32_t *guards, uintptr_t count);

/// Records the first call of a function, whose guard is set. `caller`: an address in the function
/// that calls the hook.
FL_HIDDEN void fl_first_call(uint32_t *guard, void *caller);

/// Starts recording this image. False on failure; a line on standard error or a notice in the
/// process file gives the reason.
FL_HIDDEN bool fl_recording_start(void);

/// The process file of this process, which may be a forked child; created if no image has done so.
/// Null if there is none, with errno. Async-signal-safe; to be called in a critical section.
FL_HIDDEN struct fl_process_header *fl_recording_process(void);

/// Unmaps the image's files, before it is unloaded.
FL_HIDDEN void fl_recording_end(void);

/// Passes the image's gate: in a forked child, the first thread creates the files, and the guards
/// continue from the parent's. Returns the result of fl_gate_pass. With FL_CLOSED nothing is
/// recorded; with other values except FL_OPEN, guards stay set for their next calls.
FL_HIDDEN int fl_recording_pass(void);

#endif
