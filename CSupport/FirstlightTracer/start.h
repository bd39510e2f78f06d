#ifndef FL_TRACER_START_H
#define FL_TRACER_START_H

#include "tracer.h"

/// Raises the limit of open files, because each traced process needs a descriptor.
void fl_raise_descriptor_limit(struct fl_tracer *tracer);

#endif
