// Breakpoints in images that the host watches.
#ifndef FL_TRACER_PLANT_H
#define FL_TRACER_PLANT_H

#include "tracer.h"

/// Reports to the host that functions of a file are not watched.
void fl_report_problem(struct fl_tracer *tracer, enum fl_tracer_problem problem, const char *path,
                       int error);

/// Reports to the host that a program is not watched at all, and makes a record of the process,
/// which carries the loss.
void fl_report_unwatched(struct fl_tracer *tracer, struct fl_space *space, const char *path,
                         int error);

/// Counts a forked process that is not recorded, and reports the reason to the host. `space`: the
/// process's own or its parent's; NULL: unknown. `lives`: the process continues.
void fl_report_unrecorded(struct fl_tracer *tracer, const struct fl_space *space, int error,
                          bool lives);

/// Counts a watched process that the tracer leaves running, once for all its threads.
void fl_count_running(const struct fl_tracer *tracer, const struct fl_task *task);

/// Plants the breakpoints of an image, and begins the process's record at the first one.
void fl_plant(struct fl_tracer *tracer, struct fl_task *task, struct fl_mapped_image *image,
              const char *path);

/// Reports functions whose breakpoints are gone. To be called before the memory is.
void fl_check(struct fl_tracer *tracer, struct fl_space *space);

/// Reports to the host that a process ended, or that its tracing did.
/// Must be called before its last task is taken off the count of its space.
void fl_report_end(const struct fl_tracer *tracer, const struct fl_space *space);

/// Watches `main`, at the address just found, as function 0 of image `image`.
void fl_plant_main(struct fl_tracer *tracer, struct fl_task *task, uint32_t image,
                   uint64_t address);

#endif
