// Makes this image's segments: at start, after a fork, at a reset.
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "report.h"
#include "confine.h"
#include "control.h"
#include "clock.h"
#include "environment.h"
#include "file.h"
#include "here.h"
#include "image.h"
#include "process.h"
#include "scratch.h"
#include "thread.h"

FL_HIDDEN unsigned long fl_segment_size(void) {
  return FL_HEADER_SIZE + (unsigned long)fl_here.guard_count * FL_RECORD_SIZE;
}

FL_HIDDEN void fl_segment_set_pcs(struct fl_segment_header *segment) {
  if (segment == NULL || segment->pcs_count != 0 || fl_here.pcs_count == 0) return;
  segment->pcs_start = (uint64_t)((uintptr_t)fl_here.pcs - segment->load_bias);
  // Pairs with the reader's acquire load: who sees a count sees the start.
  __atomic_store_n(&segment->pcs_count, fl_here.pcs_count, __ATOMIC_RELEASE);
}

FL_LOCAL void count_lost_image(struct fl_process_header *process, int error) {
  __atomic_store_n(&process->lost_error, (uint32_t)error, __ATOMIC_RELAXED);
  __atomic_fetch_add(&process->lost_images, 1, __ATOMIC_RELAXED);
}

/// A forked child has no file to say in what it lost, so its parent's tells.
FL_LOCAL void count_lost_child(struct fl_process_header *parent, int error) {
  __atomic_fetch_add(&parent->images, 1, __ATOMIC_RELAXED);
  count_lost_image(parent, error);
}

/// Null: `errno` says why.
FL_LOCAL struct fl_segment_header *make_file(const struct fl_segment_header *model, uint32_t number,
                                             struct fl_scratch *scratch) {
  struct fl_process_header *process = fl_here.process;
  // Readers take no segment from another user than the process file's.
  if (process->user != (uint32_t)geteuid()) {
    errno = EPERM;
    return NULL;
  }
  struct fl_segment_header *made =
      fl_file_create(scratch->temporary, &process->process, number + 1, fl_segment_size());
  if (made == NULL) return NULL;
  if (model != NULL) memcpy(made, model, offsetof(struct fl_segment_header, count));
  else fl_image_describe(made, fl_here.guards);
  made->magic = FL_SEGMENT_MAGIC;
  made->version = FL_ABI_VERSION;
  made->header_size = FL_HEADER_SIZE;
  made->record_size = FL_RECORD_SIZE;
  made->capacity = fl_here.guard_count;
  made->process = process->process;
  made->monotonic = fl_clock(CLOCK_MONOTONIC);
  made->realtime = fl_clock(CLOCK_REALTIME);
  made->guards_start = (uint64_t)((uintptr_t)fl_here.guards - made->load_bias);
  fl_segment_set_pcs(made);
  fl_segment_file_name(scratch->name, &process->process, number);
  if (rename(scratch->temporary, scratch->name) == 0) return made;
  int error = errno;
  munmap(made, fl_segment_size());
  unlink(scratch->temporary);
  errno = error;
  return NULL;
}

/// Makes a segment for the current process. `model`: the header of an earlier segment to copy the
/// image's identity from, or null to ask the loader. Null: `errno` says why, and it is counted.
FL_LOCAL struct fl_segment_header *make(const struct fl_segment_header *model, uint32_t *number) {
  struct fl_process_header *process = fl_here.process;
  *number = __atomic_fetch_add(&process->images, 1, __ATOMIC_RELAXED);
  struct fl_scratch *scratch = fl_scratch_take();
  struct fl_segment_header *made = scratch == NULL ? NULL : make_file(model, *number, scratch);
  int error = errno;
  if (scratch != NULL) fl_scratch_give(scratch);
  if (made == NULL) count_lost_image(process, error);
  errno = error;
  return made;
}

FL_LOCAL void set_guards(void) {
  uint32_t place = fl_here.current << FL_GUARD_BITS;
  // Release pairs with the claim's acquire: who claims a guard sees its segment.
  for (uint32_t i = 0; i < fl_here.guard_count; i++)
    __atomic_store_n(&fl_here.guards[i], place | (i + 1), __ATOMIC_RELEASE);
}

FL_HIDDEN void fl_segment_start_after_fork(void) {
  fl_here.generation++;
  struct fl_process_header *parent = fl_here.process;
  const struct fl_segment_header *model = fl_here.segments[fl_here.current];
  fl_here.recording = FL_OFF;
  // Nor is this one to be recorded if its parent's files were cut short.
  if (model == NULL || parent == NULL || model->magic != FL_SEGMENT_MAGIC ||
      parent->magic != FL_PROCESS_MAGIC)
    return;
  // A confined process is not to be disturbed, nor to be seen outside.
  if (fl_confine_forbids() || fl_environment_root_has_changed()) {
    count_lost_child(parent, 0);
    fl_report_notice(parent, FL_NOTICE_CONFINED, 0);
    return;
  }
  fl_thread_check();
  struct fl_process_header *process = fl_process_open(parent);
  struct fl_segment_header *made = NULL;
  if (process != NULL) {
    fl_here.process = process;
    made = make(model, &fl_here.number);
  } else {
    count_lost_child(parent, errno);
  }
  if (made == NULL) {
    fl_report(parent, FL_NOTICE_FORK, "cannot record a forked process", errno);
    return;
  }
  // Guards that are still set name the places of all segments so far.
  for (int i = 0; i < FL_SEGMENTS; i++) fl_here.segments[i] = made;
  fl_here.recording = FL_ON;
}

FL_HIDDEN bool fl_segment_restart(void) {
  if (fl_here.recording == FL_OFF || !fl_pass_gate() || fl_here.recording == FL_OFF) return true;
  uint32_t last = fl_here.number, number;
  struct fl_segment_header *made = make(fl_here.segments[fl_here.current], &number);
  if (made == NULL) return false;
  uint32_t next = (fl_here.current + 1) % FL_SEGMENTS;
  fl_here.segments[next] = made;
  fl_here.current = next;
  fl_here.number = number;
  set_guards();
  // The mapping stays: a thread may be writing to it.
  struct fl_scratch *scratch = fl_scratch_take();
  if (scratch == NULL) return true;
  fl_segment_file_name(scratch->name, &fl_here.process->process, last);
  unlink(scratch->name);
  fl_scratch_give(scratch);
  return true;
}

FL_HIDDEN bool fl_segment_start(void) {
  if (fl_here.recording == FL_ON || fl_here.guards == NULL) return true;
  size_t page = (size_t)sysconf(_SC_PAGESIZE);
  if (fl_here.gate == NULL) {
    int *gate = mmap(NULL, page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (gate == MAP_FAILED || madvise(gate, page, MADV_WIPEONFORK) != 0) {
      if (fl_control_may_say())
        (void)fl_report_line(NULL, "cannot get a page that is wiped on fork; not recording", errno);
      return false;
    }
    *gate = FL_OPEN;
    fl_here.gate = gate;
  }
  if (fl_here.process == NULL) fl_here.process = fl_control_share_process();
  if (fl_here.process == NULL) fl_here.process = fl_process_open(NULL);
  if (fl_here.process == NULL) {
    int error = errno;
    if (fl_control_may_say())
      (void)fl_report_line(NULL, "cannot write to FIRSTLIGHT_DIR; not recording", error);
    errno = error;
    return false;
  }
  struct fl_segment_header *made = make(NULL, &fl_here.number);
  if (made == NULL) {
    fl_report(fl_here.process, FL_NOTICE_SEGMENT,
              "cannot make a segment in FIRSTLIGHT_DIR; not recording", errno);
    return false;
  }
  for (int i = 0; i < FL_SEGMENTS; i++) fl_here.segments[i] = made;
  fl_thread_check();
  fl_here.image_start = (uintptr_t)(made->load_bias + made->image_start);
  fl_here.recording = FL_ON;
  // Binds the functions that the hook calls, so that a hook never enters the loader.
  (void)fl_clock(CLOCK_MONOTONIC);
  fl_confine_watch();
  fl_control_started();
  fl_survive_truncation();
  set_guards();
  return true;
}

FL_HIDDEN void fl_segment_attach(uint32_t *start, uint32_t *stop) {
  if ((uintptr_t)(stop - start) > FL_GUARD_MASK) return;
  fl_here.guards = start;
  fl_here.guard_count = (uint32_t)(stop - start);
  // Where only another image knows that this process is recorded, publishing this one starts it.
  if (fl_environment_wants_recording()) fl_segment_start();
}
