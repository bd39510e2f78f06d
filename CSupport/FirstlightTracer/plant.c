#define _GNU_SOURCE
#include "plant.h"

void fl_report_problem(struct fl_tracer *tracer, enum fl_tracer_problem problem, const char *path,
                       int error) {
  tracer->host.problem(tracer->host.context, problem, path, error);
}

void fl_report_unwatched(struct fl_tracer *tracer, struct fl_space *space, const char *path,
                         int error) {
  fl_report_problem(tracer, FL_TRACER_NO_ACCESS, path, error);
  fl_space_record(space, &tracer->records);
}

/// The record of a space, or of the nearest ancestor by fork that has a record. If that is unknown,
/// the first record.
static struct fl_record *record_of(const struct fl_tracer *tracer, const struct fl_space *space) {
  struct fl_record *record = NULL;
  if (space != NULL) record = space->record != NULL ? space->record : space->origin.forked_from;
  return record == NULL && tracer->records.count > 0 ? tracer->records.items[0] : record;
}

void fl_count_running(const struct fl_tracer *tracer, const struct fl_task *task) {
  if (task->process != task->thread || !fl_space_is_watched(task->space)) return;
  struct fl_record *record = record_of(tracer, task->space);
  if (record != NULL) record->process.running++;
}

void fl_report_unrecorded(struct fl_tracer *tracer, const struct fl_space *space, int error,
                          bool lives) {
  struct fl_record *record = record_of(tracer, space);
  if (record != NULL) record->process.unrecorded++;
  fl_report_problem(tracer, lives ? FL_TRACER_CHILD_UNRECORDED : FL_TRACER_CHILD_KILLED,
                    record != NULL ? record->process.path : "", error);
}

void fl_plant(struct fl_tracer *tracer, struct fl_task *task, struct fl_mapped_image *image,
              const char *path) {
  struct fl_space *space = task->space;
  int error = fl_mapped_image_plant(image, tracer->slice, space->memory, task->thread);
  if (error != 0) fl_report_problem(tracer, FL_TRACER_NO_ACCESS, path, error);
  // A new record starts with all images of the space, including this one.
  if (space->record != NULL)
    fl_record_add_image(&tracer->records, space->record, image->sites.image, image->bias);
  else fl_space_record(space, &tracer->records);
}

bool fl_tracer_plant_next(struct fl_tracer *tracer, uint32_t count) {
  bool is_left = false;
  tracer->slice += count;
  for (uint32_t i = 0; i < FL_TASK_BUCKETS; i++)
    for (const struct fl_task *task = tracer->tasks[i]; task != NULL; task = task->next) {
      const struct fl_space *space = task->space;
      if (task->is_unsettled || space->memory < 0 || space->is_restored) continue;
      for (uint32_t j = 0; j < space->image_count; j++) {
        struct fl_mapped_image *image = &space->images[j];
        if (!image->is_mapped) continue;
        int error = fl_mapped_image_plant(image, tracer->slice, space->memory, task->thread);
        const char *path = space->record != NULL ? space->record->process.path : "";
        if (error != 0) fl_report_problem(tracer, FL_TRACER_NO_ACCESS, path, error);
        is_left |= image->planted < image->sites.count;
      }
    }
  return is_left;
}

/// Whose breakpoints are checked.
struct check {
  struct fl_tracer *tracer;
  struct fl_space *space;
};

static void note_unwatched(void *context, uint32_t image, uint32_t function) {
  const struct check *check = context;
  const struct fl_tracer_host *host = &check->tracer->host;
  // A forked process without a call gets its record now.
  const struct fl_record *record = fl_space_record(check->space, &check->tracer->records);
  if (record != NULL) host->unwatched(host->context, record->index, image, function);
}

void fl_check(struct fl_tracer *tracer, struct fl_space *space) {
  if (tracer->host.unwatched == NULL || space->memory < 0 || space->is_restored) return;
  struct check check = {tracer, space};
  for (uint32_t i = 0; i < space->image_count; i++)
    if (space->images[i].is_mapped)
      fl_mapped_image_check(&space->images[i], space->memory, note_unwatched, &check);
}

void fl_report_end(const struct fl_tracer *tracer, const struct fl_space *space) {
  const struct fl_tracer_host *host = &tracer->host;
  if (host->sink != NULL && space->tasks == 1 && space->record != NULL)
    host->sink->ended(host->context, space->record->index);
}

void fl_plant_main(struct fl_tracer *tracer, struct fl_task *task, uint32_t image,
                   uint64_t address) {
  struct fl_space *space = task->space;
  uint32_t function;
  if (!fl_space_is_code(space, address) || fl_space_find(space, address, &function) != NULL ||
      fl_return_site_find(&space->returns, address) != NULL)
    return;
  // An image with one function at link-time address 0, loaded at the function's run-time address.
  static const uint64_t start = 0;
  struct fl_tracer_sites sites = {
      .image = image, .count = 1, .addresses = &start, .main_argument = UINT32_MAX};
  struct fl_mapped_image *added = fl_space_add(space, &sites, address);
  if (added == NULL) return;
  added->is_program = true;  // mapped as long as the program is
  fl_plant(tracer, task, added, "main");
}
