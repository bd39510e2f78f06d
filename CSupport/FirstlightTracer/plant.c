#define _GNU_SOURCE
#include "plant.h"

void fl_report_problem(struct fl_tracer *tracer, enum fl_tracer_problem problem, const char *path,
                       int error) {
  tracer->host.problem(tracer->host.context, problem, path, error);
}

void fl_plant(struct fl_tracer *tracer, struct fl_task *task, struct fl_mapped_image *image,
              const char *path) {
  struct fl_space *space = task->space;
  int error = fl_mapped_image_plant(image, space->memory, task->thread);
  if (error != 0) fl_report_problem(tracer, FL_TRACER_NO_ACCESS, path, error);
  // A new record starts with all images of the space, this one included.
  if (space->record != NULL) fl_record_add_image(space->record, image->sites.image, image->bias);
  else fl_space_record(space, &tracer->records);
}

void fl_plant_main(struct fl_tracer *tracer, struct fl_task *task, uint32_t image,
                   uint64_t address) {
  struct fl_space *space = task->space;
  uint32_t function;
  if (!fl_space_is_code(space, address) || fl_space_find(space, address, &function) != NULL ||
      fl_return_site_find(&space->returns, address) != NULL)
    return;
  // An image of one function at link-time address 0, loaded at the function's run-time address.
  static const uint64_t start = 0;
  struct fl_tracer_sites sites = {
      .image = image, .count = 1, .addresses = &start, .main_argument = UINT32_MAX};
  struct fl_mapped_image *added = fl_space_add(space, &sites, address);
  if (added == NULL) return;
  added->is_program = true;  // stays mapped for as long as the program is
  fl_plant(tracer, task, added, "main");
}
