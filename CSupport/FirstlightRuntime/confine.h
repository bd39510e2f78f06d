// What a process that confines itself (seccomp) can still be asked to do.
//
// A filter may answer any system call with death, asking whether there is a filter included. So a
// program that could install one is never asked: it has its files made at start, and those of a
// forked child within fork(), before the child's own code can confine it.
#ifndef FL_CONFINE_H
#define FL_CONFINE_H

#include <stdbool.h>

#include "attributes.h"

/// Notes which filters there are by now, whose answers the runtime has seen by trying. To be called
/// when this image's recording starts; later calls do nothing.
FL_HIDDEN void fl_confine_watch(void);

/// Whether the program could install a filter: one of its images binds prctl.
FL_HIDDEN bool fl_confine_is_possible(void);

/// Whether the runtime must not make files now: the process may have been confined since it
/// started. Makes no system call where such a call could be deadly.
FL_HIDDEN bool fl_confine_forbids(void);

/// Calls `work` in a moment in which the process is not confined more than it was at its start.
FL_HIDDEN void fl_confine_while_free(void (*work)(void));

#endif
