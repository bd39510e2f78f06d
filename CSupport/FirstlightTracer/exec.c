#define _GNU_SOURCE
#include "exec.h"

#include <elf.h>
#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/ptrace.h>

#include "calls.h"
#include "cpu.h"
#include "family.h"
#include "libraries.h"
#include "loading.h"
#include "mappings.h"
#include "plant.h"
#include "process_file.h"
#include "program.h"
#include "resume.h"
#include "tasks.h"

static const uint64_t TRAP_BIT = 1u << (SIGTRAP - 1);

/// Asks the host about the executable.
static void plant_program(struct fl_tracer *tracer, struct fl_task *task, bool is_command) {
  struct fl_space *space = task->space;
  char path[PATH_MAX], link[32];
  uint64_t bias;
  errno = 0;
  if (!fl_program_path(task->thread, path, sizeof path)) {
    // A file that may be executed but not read.
    if (errno == EACCES || errno == EPERM)
      fl_report_unwatched(tracer, space, "a program that may not be read", errno);
    return;
  }
  errno = 0;
  if (!fl_program_bias(task->thread, &bias)) {
    if (errno == EMFILE || errno == ENFILE || errno == ENOMEM || errno == EACCES || errno == EPERM)
      fl_report_unwatched(tracer, space, path, errno);
    return;
  }
  struct fl_tracer_file file = {.path = path,
                                .link = fl_program_link(task->thread, path, link),
                                .is_program = true,
                                .is_command = is_command};
  struct fl_tracer_sites sites = {0};
  if (!tracer->host.choose(tracer->host.context, &file, &sites) || sites.count == 0) return;
  if (!fl_space_open(space, task->process)) {
    fl_report_unwatched(tracer, space, path, errno);
    return;
  }
  struct fl_mapped_image *image = fl_space_add(space, &sites, bias);
  if (image == NULL) return;
  image->is_program = true;
  fl_plant(tracer, task, image, path);
}

/// Plants the breakpoint in the function that the loader calls when libraries change.
static void plant_loader(struct fl_tracer *tracer, struct fl_task *task) {
  struct fl_space *space = task->space;
  uint64_t base = fl_auxiliary(task->thread, AT_BASE);
  if (base == 0) return;  // a static program
  if (space->memory < 0) fl_space_open(space, task->process);
  uint32_t size;
  char *text = fl_process_text(task->thread, "maps", &size);
  char *rest = text;
  struct fl_mapping mapping;
  while (text != NULL && fl_next_mapping(&rest, &mapping, space->memory)) {
    if (mapping.start != base) continue;
    uint64_t bias = 0;
    uint64_t state = 0;
    uint64_t address = tracer->host.loader_breakpoint(tracer->host.context, mapping.path, &state);
    int error = 0;
    if (address == 0 || space->memory < 0 || !fl_image_bias(space->memory, base, &bias))
      fl_report_problem(tracer, FL_TRACER_NO_LOADER, mapping.path, 0);
    else error = fl_space_plant_loader(space, address + bias, task->thread);
    if (state != 0 && address != 0) space->loader_state = state + bias;
    if (error == 0 && space->loader != 0)
      task->is_loading = (tracer->host.flags & FL_TRACER_LOADING) != 0;
    if (error != 0) fl_report_problem(tracer, FL_TRACER_NO_ACCESS, mapping.path, error);
    break;
  }
  free(text);
}

/// Moves the beginning of a start-up to the request for its exec.
static void begin_at_request(struct fl_origin *origin, uint64_t requested, uint64_t ran) {
  if (requested == 0 || requested > origin->monotonic) return;
  origin->realtime -= origin->monotonic - requested;
  origin->monotonic = origin->requested = requested;
  origin->requested_ran = ran;
}

void fl_executed(struct fl_tracer *tracer, pid_t thread) {
  // The thread that called exec now has the process's id; all others have ended.
  fl_task_remove_others(tracer, thread);
  struct fl_task *task = fl_task_find(tracer, thread);
  bool ignored_trap = task != NULL && task->space->ignores_trap;
  struct fl_space *space = fl_space_make();
  if (space == NULL) {
    fl_report_problem(tracer, FL_TRACER_NO_ACCESS, "", ENOMEM);
    return;
  }
  if (task != NULL) {
    fl_calls_end(task, task->space->tasks > 1 && task->space->memory >= 0);
    fl_task_unpin(task);
    if (task->is_ending) task->space->ending--;
    task->is_ending = false;
    task->is_loading = task->is_relocating = false;
    task->system_call.began = 0;
    fl_report_end(tracer, task->space);
    fl_space_leave(task->space);
    task->space = space;
    space->tasks = 1;
  } else if ((task = fl_task_add(tracer, thread, thread, space)) == NULL) {
    free(space);
    return;
  }
  space->ignores_trap = ignored_trap;
  bool is_command = thread == tracer->command && !tracer->command_executed;
  if (is_command) tracer->command_executed = true;
  fl_space_begin(tracer, task, is_command);
  fl_moment_note(tracer, task, FL_TRACER_EXECUTED);
}

void fl_space_begin(struct fl_tracer *tracer, struct fl_task *task, bool is_command) {
  struct fl_space *space = task->space;
  pid_t thread = task->thread;
  space->origin = fl_origin_now(thread, (pid_t)fl_status_number(thread, "PPid:", 10));
  if (is_command && tracer->request != NULL)
    begin_at_request(&space->origin, tracer->request->time, tracer->request->ran);
  space->lineage = fl_lineage(thread);
  if ((fl_status_number(thread, "SigIgn:", 16) & TRAP_BIT) != 0) space->ignores_trap = true;
  // This comes before the first breakpoint.
  ptrace(PTRACE_SETOPTIONS, thread, NULL, fl_ptrace_options(tracer, true));
  plant_program(tracer, task, is_command);
  if (tracer->host.loader_breakpoint != NULL) {
    plant_loader(tracer, task);
    if (space->memory >= 0) fl_libraries_changed(tracer, task);
  }
  if (space->memory < 0) ptrace(PTRACE_SETOPTIONS, thread, NULL, fl_ptrace_options(tracer, false));
}
