// Which images a process has, and planting those that the host wants.
#define _GNU_SOURCE
#include <elf.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>

#include "memory.h"
#include "process_file.h"
#include "tracer.h"

static const uint64_t TRAP_BIT = 1u << (SIGTRAP - 1);

static void report(struct fl_tracer *tracer, enum fl_tracer_problem problem, const char *path,
                   int error) {
  tracer->host.problem(tracer->host.context, problem, path, error);
}

/// Plants an image that the host wants, and begins the process's record if it is the first.
static void plant(struct fl_tracer *tracer, struct fl_task *task, struct fl_mapped_image *image,
                  const char *path) {
  struct fl_space *space = task->space;
  int error = fl_space_plant(space, image, task->thread);
  if (error != 0) report(tracer, FL_TRACER_NO_ACCESS, path, error);
  // A record that begins knows all images that there are, this one too.
  if (space->record != NULL) fl_record_add_image(space->record, image->sites.image, image->bias);
  else fl_space_record(tracer, space);
}

/// Asks the host about the executable.
static void plant_program(struct fl_tracer *tracer, struct fl_task *task, bool is_command) {
  struct fl_space *space = task->space;
  char path[PATH_MAX];
  uint64_t bias;
  if (!fl_program_path(task->thread, path, sizeof path) || !fl_program_bias(task->thread, &bias))
    return;
  uint64_t inode = fl_program_inode(task->thread);
  struct fl_tracer_file file = {.path = path, .is_program = true, .is_command = is_command};
  struct fl_tracer_sites sites = {0};
  if (inode == 0 || inode != fl_inode(path)) {
    report(tracer, FL_TRACER_FILE_CHANGED, path, 0);
  } else if (!tracer->host.choose(tracer->host.context, &file, &sites)) {
    sites.count = 0;
  }
  if (sites.count == 0) return;
  space->memory = fl_memory_open(task->process);
  if (space->memory < 0) {
    report(tracer, FL_TRACER_NO_ACCESS, path, errno);
    return;
  }
  struct fl_mapped_image *image = fl_space_add(space, &sites, bias);
  if (image == NULL) return;
  image->inode = inode;
  image->is_program = true;
  plant(tracer, task, image, path);
}

/// Puts the breakpoint on the loader's function that is called when libraries come and go.
static void plant_loader(struct fl_tracer *tracer, struct fl_task *task) {
  struct fl_space *space = task->space;
  uint64_t base = fl_auxiliary(task->thread, AT_BASE);
  if (base == 0) return;  // static
  uint32_t size;
  char *text = fl_process_text(task->thread, "maps", &size);
  char *rest = text;
  struct fl_mapping mapping;
  while (text != NULL && fl_next_mapping(&rest, &mapping)) {
    if (mapping.start != base) continue;
    if (space->memory < 0) space->memory = fl_memory_open(task->process);
    uint64_t bias = 0;
    uint64_t state = 0;
    uint64_t address = tracer->host.loader_breakpoint(tracer->host.context, mapping.path, &state);
    int error = 0;
    if (address == 0 || space->memory < 0 || !fl_image_bias(space->memory, base, &bias))
      report(tracer, FL_TRACER_NO_LOADER, mapping.path, 0);
    else error = fl_space_plant_loader(space, address + bias, task->thread);
    if (state != 0 && address != 0) space->loader_state = state + bias;
    if (error == 0 && space->loader != 0)
      task->is_loading = (tracer->host.flags & FL_TRACER_LOADING) != 0;
    if (error != 0) report(tracer, FL_TRACER_NO_ACCESS, mapping.path, error);
    break;
  }
  free(text);
}

/// A start-up begins when it is asked for.
static void begin_at_request(struct fl_origin *origin, uint64_t requested, uint64_t ran) {
  if (requested == 0 || requested > origin->monotonic) return;
  origin->realtime -= origin->monotonic - requested;
  origin->monotonic = origin->requested = requested;
  origin->requested_ran = ran;
}

void fl_executed(struct fl_tracer *tracer, pid_t thread) {
  // The thread that called exec has taken over the number of the process; all others are gone.
  fl_task_remove_others(tracer, thread);
  struct fl_task *task = fl_task_find(tracer, thread);
  bool ignored_trap = task != NULL && task->space->ignores_trap;
  struct fl_space *space = fl_space_make();
  if (space == NULL) return;
  if (task != NULL) {
    fl_calls_end(task, task->space->tasks > 1 && task->space->memory >= 0);
    fl_task_unpin(task);
    task->is_loading = task->is_relocating = false;
    task->system_call.began = 0;
    task->restartable = 0;
    fl_space_leave(task->space);
    task->space = space;
    space->tasks = 1;
  } else if ((task = fl_task_add(tracer, thread, thread, space)) == NULL) {
    free(space);
    return;
  }
  space->origin = fl_origin_now(thread, (pid_t)fl_status_number(thread, "PPid:", 10));
  space->ignores_trap = ignored_trap || (fl_status_number(thread, "SigIgn:", 16) & TRAP_BIT) != 0;
  fl_mask_note(task);
  bool is_command = thread == tracer->command && !tracer->command_executed;
  if (is_command) {
    tracer->command_executed = true;
    begin_at_request(&space->origin, tracer->request->time, tracer->request->used.ran);
    task->last_cpu_time =
        (struct fl_tracer_cpu_time){.ran = tracer->request->used.ran,
                                    .queued = tracer->request->used.queued,
                                    .timeslices = tracer->request->used.timeslices};
  }
  plant_program(tracer, task, is_command);
  if (tracer->host.loader_breakpoint != NULL) {
    plant_loader(tracer, task);
    if (space->memory >= 0) fl_libraries_changed(tracer, task);
  }
  ptrace(PTRACE_SETOPTIONS, thread, NULL, fl_ptrace_options(tracer, space->memory >= 0));
  fl_moment_note(tracer, task, FL_TRACER_EXECUTED);
}

static struct fl_mapped_image *known(struct fl_space *space, const struct fl_mapping *mapping) {
  for (uint32_t i = 0; i < space->image_count; i++)
    if (!space->images[i].is_program && space->images[i].start == mapping->start &&
        space->images[i].inode == mapping->inode)
      return &space->images[i];
  return NULL;
}

static void plant_library(struct fl_tracer *tracer, struct fl_task *task,
                          const struct fl_mapping *mapping) {
  struct fl_space *space = task->space;
  struct fl_tracer_file file = {.path = mapping->path};
  struct fl_tracer_sites sites = {0};
  uint64_t bias = 0;
  if (!tracer->host.choose(tracer->host.context, &file, &sites)) {
    sites.count = 0;
  } else if (fl_inode(mapping->path) != mapping->inode) {
    report(tracer, FL_TRACER_FILE_CHANGED, mapping->path, 0);
    sites.count = 0;
  } else if (!fl_image_bias(space->memory, mapping->start, &bias)) {
    sites.count = 0;
  }
  struct fl_mapped_image *image = fl_space_add(space, &sites, bias);
  if (image == NULL) return;
  image->start = mapping->start;
  image->inode = mapping->inode;
  if (sites.count > 0) plant(tracer, task, image, mapping->path);
}

static bool is_code(const void *space, uint64_t address) {
  return fl_space_is_code(space, address);
}

static void add_code(struct fl_space *space, const struct fl_mapping *mapping) {
  struct fl_code_range *code = realloc(space->code, (space->code_count + 1) * sizeof *code);
  if (code == NULL) return;
  space->code = code;
  code[space->code_count++] = (struct fl_code_range){.start = mapping->start, .end = mapping->end};
}

void fl_main_found(struct fl_tracer *tracer, struct fl_task *task, uint32_t image,
                   uint64_t address) {
  struct fl_space *space = task->space;
  uint32_t function;
  if (!fl_space_is_code(space, address) || fl_space_find(space, address, &function) != NULL ||
      fl_return_site_find(&space->returns, address) != NULL)
    return;
  // Its link-time address 0 is where it is at run time.
  static const uint64_t start = 0;
  struct fl_tracer_sites sites = {
      .image = image, .count = 1, .addresses = &start, .main_argument = UINT32_MAX};
  struct fl_mapped_image *added = fl_space_add(space, &sites, address);
  if (added == NULL) return;
  added->is_program = true;  // stays mapped for as long as the program is
  plant(tracer, task, added, "main");
}

void fl_libraries_changed(struct fl_tracer *tracer, struct fl_task *task) {
  struct fl_space *space = task->space;
  uint32_t size;
  char *text = fl_process_text(task->thread, "maps", &size);
  if (text == NULL) return;
  uint64_t program = fl_program_inode(task->thread);
  bool *was_mapped = calloc(space->image_count + 1, sizeof *was_mapped);
  for (uint32_t i = 0; was_mapped != NULL && i < space->image_count; i++) {
    was_mapped[i] = space->images[i].is_mapped;
    space->images[i].is_mapped = space->images[i].is_program;
  }
  char *rest = text;
  struct fl_mapping mapping;
  space->code_count = 0;
  while (was_mapped != NULL && fl_next_mapping(&rest, &mapping)) {
    add_code(space, &mapping);
    if (mapping.inode == program) continue;
    struct fl_mapped_image *image = known(space, &mapping);
    if (image == NULL) {
      plant_library(tracer, task, &mapping);
      continue;
    }
    image->is_mapped = true;
    // Unloaded and loaded again at the same place: what was called before is not called first
    // again.
    uint32_t index = (uint32_t)(image - space->images);
    if (image->sites.count > 0 && !was_mapped[index]) fl_space_plant(space, image, task->thread);
  }
  fl_return_sites_keep(&space->returns, is_code, space);
  free(was_mapped);
  free(text);
}
