// Programs that processes execute.
#ifndef FL_TRACER_EXEC_H
#define FL_TRACER_EXEC_H

#include "tracer.h"

/// A process has executed a program: gives it a space of its own and plants the program.
void fl_executed(struct fl_tracer *tracer, pid_t thread);

#endif
