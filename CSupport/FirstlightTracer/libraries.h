// The shared libraries of a process.
#ifndef FL_TRACER_LIBRARIES_H
#define FL_TRACER_LIBRARIES_H

#include "tracer.h"

/// Called when the loader has mapped or unmapped libraries. Plants breakpoints in new ones.
void fl_libraries_changed(struct fl_tracer *tracer, struct fl_task *task);

#endif
