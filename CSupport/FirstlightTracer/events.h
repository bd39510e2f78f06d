// The events that waitpid reports.
#ifndef FL_TRACER_EVENTS_H
#define FL_TRACER_EVENTS_H

#include "tracer.h"

/// Handles one result of waitpid, reported at `seen`.
void fl_handle_event(struct fl_tracer *tracer, pid_t thread, int status, uint64_t seen);

#endif
