// Breakpoints in images that the host wants.
#ifndef FL_TRACER_PLANT_H
#define FL_TRACER_PLANT_H

#include "tracer.h"

/// Tells the host that functions of a file are not watched.
void fl_report_problem(struct fl_tracer *tracer, enum fl_tracer_problem problem, const char *path,
                       int error);

/// Plants an image, and begins the process's record if it is the first.
void fl_plant(struct fl_tracer *tracer, struct fl_task *task, struct fl_mapped_image *image,
              const char *path);

/// Watches `main`, whose address is now known, as function 0 of image `image`.
void fl_plant_main(struct fl_tracer *tracer, struct fl_task *task, uint32_t image,
                   uint64_t address);

#endif
