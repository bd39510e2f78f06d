// Whether the process has confined itself by seccomp filters, or could have.
//
// A filter can answer any system call by killing the process, even a query for filters. So a
// program that could install one is never queried: its files are created at start, and those of a
// forked child within fork(), before the child's own code can confine it.
#ifndef FL_CONFINE_H
#define FL_CONFINE_H

#include <stdbool.h>

#include "attributes.h"

/// Records the current filters, whose effects the runtime has already seen. To be called when this
/// image's recording starts; later calls do nothing.
FL_HIDDEN void fl_confine_watch(void);

/// Checks again whether the program could install a filter: a library loaded since may do so.
FL_HIDDEN void fl_confine_look_again(void);

/// Whether the program could install a filter: one of its images binds prctl.
FL_HIDDEN bool fl_confine_is_possible(void);

/// Whether the runtime must not create files now, because the process may have confined itself
/// since its start. Makes no system call if one could be deadly, else at most prctl.
FL_HIDDEN bool fl_confine_forbids(void);

/// The same for a process that had filters at its start. To be called in a critical section.
FL_HIDDEN bool fl_confine_has_changed(void);

/// Calls `work` when the process is no more confined than at its start.
FL_HIDDEN void fl_confine_while_free(void (*work)(void));

#endif
