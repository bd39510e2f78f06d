// The events that waitpid reports.
#ifndef FL_TRACER_EVENTS_H
#define FL_TRACER_EVENTS_H

#include "tracer.h"

/// Handles one result of waitpid, reported at `seen`.
void fl_handle_event(struct fl_tracer *tracer, pid_t thread, int status, uint64_t seen);

/// Handles a result of waitpid that was reported just now, and adds to the recording's cost.
void fl_handle_now(struct fl_tracer *tracer, pid_t thread, int status);

/// Adds a stop of some nanoseconds to the recording's cost.
void fl_cost_add(struct fl_tracer *tracer, uint64_t stopped);

#endif
