// Where to record to, as the environment or a call of the API says, and the root directory that
// this path is relative to.
#ifndef FL_ENVIRONMENT_H
#define FL_ENVIRONMENT_H

#include <stdbool.h>

#include "attributes.h"

/// Room for FIRSTLIGHT_DIR.
enum { FL_DIRECTORY_MAX = 3072 };

/// Reads the environment. False: this process is not to be recorded.
FL_HIDDEN bool fl_environment_wants_recording(void);

/// Sets the directory in a process whose environment has none. False: the path is not absolute or
/// too long, or the process has more rights than its caller.
FL_HIDDEN bool fl_environment_set_directory(const char *path);

/// The directory to record to; empty: this process is not recorded.
FL_HIDDEN const char *fl_environment_directory(void);

/// Whether FIRSTLIGHT_PAUSED asks for a paused start.
FL_HIDDEN bool fl_environment_starts_paused(void);

/// Whether the process has changed its root directory since recording began.
FL_HIDDEN bool fl_environment_root_has_changed(void);

#endif
