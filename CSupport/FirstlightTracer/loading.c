#define _GNU_SOURCE
#include "loading.h"

#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>

#include "cpu.h"
#include "memory.h"

/// Reads a path; NULL if it cannot be read. The caller frees it.
static char *read_path(const struct fl_space *space, uint64_t address) {
  enum { MOST = 4096, PIECE = 64 };
  char *path = malloc(MOST + 1);
  for (size_t size = 0; path != NULL && size < MOST;) {
    // Reads pieces that end within a page, because the next page may be missing.
    size_t piece = PIECE - (size_t)((address + size) % PIECE);
    if (size + piece > MOST) piece = MOST - size;
    if (!fl_memory_read(space->memory, address + size, path + size, piece)) break;
    size += piece;
    path[size] = '\0';
    if (strlen(path) < size) return path;
  }
  free(path);
  return NULL;
}

static enum fl_tracer_system_call kind_of(uint64_t number) {
  switch (number) {
    case SYS_openat: return FL_TRACER_OPEN;
    case SYS_mmap: return FL_TRACER_MAP;
    case SYS_mprotect: return FL_TRACER_PROTECT;
    case SYS_close: return FL_TRACER_CLOSE;
    default: return FL_TRACER_OTHER_CALL;
  }
}

void fl_system_call(struct fl_tracer *tracer, struct fl_task *task) {
  struct fl_space *space = task->space;
  struct __ptrace_syscall_info call;
  if (ptrace(PTRACE_GET_SYSCALL_INFO, task->thread, sizeof call, &call) <= 0) return;
  struct fl_tracer_moment *pending = &task->system_call;
  if (call.op == PTRACE_SYSCALL_INFO_ENTRY) {
    enum fl_tracer_system_call kind = kind_of(call.entry.nr);
    if (kind == FL_TRACER_OPEN || kind == FL_TRACER_OTHER_CALL) fl_relocation_ended(task);
    if (!task->is_loading) return;
    *pending = (struct fl_tracer_moment){.kind = FL_TRACER_SYSTEM_CALL,
                                         .thread = (uint32_t)task->thread,
                                         .began = tracer->seen,
                                         .system_call = kind};
    memcpy(pending->arguments, call.entry.args, sizeof pending->arguments);
  } else if (call.op == PTRACE_SYSCALL_INFO_EXIT && pending->began != 0) {
    pending->time = tracer->seen;
    pending->result = call.exit.rval;
    pending->faults = fl_space_faults(space, task->process);
    char *path =
        pending->system_call == FL_TRACER_OPEN ? read_path(space, pending->arguments[1]) : NULL;
    if (space->record != NULL) fl_record_add_moment(space->record, pending, path);
    free(path);
    pending->began = 0;
  }
}

void fl_relocation_ended(struct fl_task *task) {
  if (task->is_relocating) task->is_loading = false;
  task->is_relocating = false;
}

void fl_moment_note(struct fl_tracer *tracer, struct fl_task *task,
                    enum fl_tracer_moment_kind kind) {
  struct fl_space *space = task->space;
  if ((tracer->host.flags & FL_TRACER_RETURNS) == 0) return;
  if (fl_space_record(space, &tracer->records) == NULL) return;
  struct fl_tracer_moment moment = {.kind = kind,
                                    .thread = (uint32_t)task->thread,
                                    .time = tracer->seen,
                                    .faults = fl_space_faults(space, task->process)};
  fl_record_add_moment(space->record, &moment, NULL);
}

void fl_loader_notified(struct fl_tracer *tracer, struct fl_task *task) {
  enum { STATE_OFFSET = 24 };  // r_state in struct r_debug, <link.h>
  struct fl_space *space = task->space;
  fl_moment_note(tracer, task, FL_TRACER_LIBRARIES);
  int32_t state;
  space->loader_notifications++;
  bool is_at_work = space->loader_notifications % 2 == 1;
  if (space->loader_state != 0 &&
      fl_memory_read(space->memory, space->loader_state + STATE_OFFSET, &state, sizeof state))
    is_at_work = state != 0;
  bool is_wanted = (tracer->host.flags & FL_TRACER_LOADING) != 0;
  // At start, all relocations are done by now. Libraries from dlopen are relocated afterwards.
  task->is_relocating = is_wanted && !is_at_work && space->loader_notifications > 2;
  task->is_loading = is_wanted && (is_at_work || task->is_relocating);
  if (!is_at_work) fl_task_unpin(task);
}
