// The directory for recordings, from the environment or an API call, and the root directory that
// its path is relative to.
#ifndef FL_ENVIRONMENT_H
#define FL_ENVIRONMENT_H

#include <stdbool.h>

#include "attributes.h"

/// Maximum size of FIRSTLIGHT_DIR.
enum { FL_DIRECTORY_MAX = 3072 };

/// Reads the environment. False if this process is not to be recorded.
FL_HIDDEN bool fl_environment_wants_recording(void);

/// Sets the directory in a process whose environment has none. False if the path is not absolute or
/// too long, or the process has more privileges than its caller.
FL_HIDDEN bool fl_environment_set_directory(const char *path);

/// The directory for recordings; empty if this process is not recorded.
FL_HIDDEN const char *fl_environment_directory(void);

/// Whether FIRSTLIGHT_WATCHED says that a tool listens for processes that cannot record. Without
/// one, nothing is sent: a filter of system calls may answer a socket with death.
FL_HIDDEN bool fl_environment_is_watched(void);

/// Whether FIRSTLIGHT_PAUSED requests a paused start.
FL_HIDDEN bool fl_environment_starts_paused(void);

/// Whether the process has changed its root directory since recording began.
FL_HIDDEN bool fl_environment_root_has_changed(void);

#endif
