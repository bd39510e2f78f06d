// The table of traced threads.
#ifndef FL_TRACER_TASKS_H
#define FL_TRACER_TASKS_H

#include "tracer.h"

struct fl_task *fl_task_find(struct fl_tracer *tracer, pid_t thread);

/// Adds a task in `space`. NULL if memory is exhausted.
struct fl_task *fl_task_add(struct fl_tracer *tracer, pid_t thread, pid_t process,
                            struct fl_space *space);

void fl_task_remove(struct fl_tracer *tracer, pid_t thread);

/// Removes all other threads of a process: an exec has ended them.
void fl_task_remove_others(struct fl_tracer *tracer, pid_t process);

#endif
