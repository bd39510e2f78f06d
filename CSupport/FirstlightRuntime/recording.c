#define _GNU_SOURCE
#include "recording.h"

#include <errno.h>
#include <sys/mman.h>
#include <time.h>

#include "critical.h"
#include "clock.h"
#include "confine.h"
#include "entries.h"
#include "environment.h"
#include "fault.h"
#include "gate.h"
#include "image_state.h"
#include "peers.h"
#include "process.h"
#include "report.h"
#include "segment.h"
#include "thread.h"

FL_LOCAL void set_guards(void) {
  // Release pairs with the fence in fl_first_call(): a thread that sees a guard sees the recording.
  for (uint32_t i = 0; i < fl_image_state.guard_count; i++)
    __atomic_store_n(&fl_image_state.guards[i], i + 1, __ATOMIC_RELEASE);
  fl_entries_begin();
}

FL_LOCAL void count_loss(int error) {
  struct fl_process_header *parent = fl_image_state.process;
  if (error == 0) fl_image_state.generation++;
  if (parent == NULL || parent->magic != FL_PROCESS_MAGIC) return;
  if (fl_image_state.recording == FL_ON) fl_segment_count_lost_child(parent, error);
  fl_report_notice(parent, error == 0 ? FL_NOTICE_CONFINED : FL_NOTICE_FORK, error);
}

/// Creates a forked child's own files: the process file and, for an image with guards, the segment.
FL_LOCAL int continue_in_child(void) {
  fl_image_state.generation++;
  struct fl_process_header *parent = fl_image_state.process;
  bool has_guards = fl_image_state.recording == FL_ON;
  const struct fl_segment_header *model = fl_image_state.segment;
  // A file without its magic was truncated: the child is then not recorded either.
  if (parent == NULL || parent->magic != FL_PROCESS_MAGIC ||
      (has_guards && model->magic != FL_SEGMENT_MAGIC))
    return FL_CLOSED;
  // Readers could not reach its files.
  if (fl_environment_root_has_changed()) {
    count_loss(0);
    return FL_CLOSED;
  }
  fl_thread_check();
  struct fl_process_header *process = fl_process_open(parent);
  struct fl_segment_header *segment = NULL;
  if (process != NULL) {
    fl_image_state.process = process;
    if (has_guards) segment = fl_segment_create(model, &fl_image_state.number);
  } else if (has_guards) {
    fl_segment_count_lost_child(parent, errno);
  }
  if (process == NULL || (has_guards && segment == NULL)) {
    fl_report(parent, FL_NOTICE_FORK, "cannot record a forked process", errno);
    return FL_CLOSED;
  }
  fl_image_state.segment = segment;
  return FL_OPEN;
}

FL_HIDDEN int fl_recording_pass(void) {
  static const struct fl_gate gate = {continue_in_child, count_loss};
  return fl_gate_pass(fl_image_state.gate, &gate);
}

FL_HIDDEN struct fl_process_header *fl_recording_process(void) {
  if (fl_image_state.gate == NULL) {
    int *gate = fl_gate_map(), *none = NULL;
    if (gate == NULL) return NULL;
    struct fl_process_header *process = fl_process_open(NULL);
    if (process == NULL) {
      int error = errno;
      fl_gate_unmap(gate);
      errno = error;
      return NULL;
    }
    // Threads that race here map the same file. Release pairs with the acquire in fl_gate_pass().
    *gate = FL_OPEN;
    fl_image_state.process = process;
    if (!__atomic_compare_exchange_n(&fl_image_state.gate, &none, gate, false, __ATOMIC_RELEASE,
                                     __ATOMIC_ACQUIRE))
      fl_gate_unmap(gate);
  }
  return fl_recording_pass() == FL_OPEN ? fl_image_state.process : NULL;
}

/// Reports a failure without a process file for a notice. Always false; keeps `errno`.
FL_LOCAL bool fail(const char *what) {
  int error = errno;
  if (fl_environment_is_watched()) fl_report_missing(fl_environment_directory(), fl_process_key(0));
  if (fl_peers_may_report()) (void)fl_report_line(NULL, what, error);
  errno = error;
  return false;
}

FL_LOCAL bool start(void) {
  if (fl_image_state.gate == NULL) {
    int *gate = fl_gate_map();
    if (gate == NULL) return fail("cannot get a page that is wiped on fork; not recording");
    *gate = FL_OPEN;
    fl_image_state.gate = gate;
  } else if (fl_recording_pass() != FL_OPEN) {
    // In a forked child; its parent's process file has the reason.
    errno = EPERM;
    return false;
  }
  if (fl_image_state.process == NULL) fl_image_state.process = fl_peers_share_process();
  if (fl_image_state.process == NULL) fl_image_state.process = fl_process_open(NULL);
  if (fl_image_state.process == NULL) return fail("cannot write to FIRSTLIGHT_DIR; not recording");
  struct fl_segment_header *segment = fl_segment_create(NULL, &fl_image_state.number);
  if (segment == NULL) {
    fl_report(fl_image_state.process, FL_NOTICE_SEGMENT,
              "cannot make a segment in FIRSTLIGHT_DIR; not recording", errno);
    return false;
  }
  fl_image_state.segment = segment;
  fl_thread_check();
  fl_image_state.image_start = (uintptr_t)(segment->load_bias + segment->image_start);
  fl_image_state.recording = FL_ON;
  if (fl_image_state.counters != NULL) fl_image_state.counters->begin(fl_image_state.number);
  // Binds the functions that the hook calls, so that a hook never calls the loader.
  (void)fl_clock(CLOCK_MONOTONIC);
  fl_confine_watch();
  fl_fault_handle();
  set_guards();
  return true;
}

FL_HIDDEN bool fl_recording_start(void) {
  if (fl_image_state.recording == FL_ON || fl_image_state.guard_count == 0) return true;
  struct fl_critical section;
  fl_critical_begin(&section);
  bool started = start();
  fl_critical_end(&section);
  return started;
}

FL_HIDDEN void fl_recording_attach(uint32_t *guards, uintptr_t count) {
  if (count >= UINT32_MAX) return;
  fl_image_state.guards = guards;
  fl_image_state.guard_count = (uint32_t)count;
  // If only another image knows that this process is recorded, publishing this image starts it.
  if (fl_environment_wants_recording()) fl_recording_start();
}

FL_HIDDEN void fl_recording_end(void) {
  fl_image_state.recording = FL_OFF;
  int *gate = fl_image_state.gate;
  static int closed = FL_CLOSED;
  fl_image_state.gate = &closed;  // for hooks that run even later
  fl_entries_unmap();
  if (fl_image_state.segment != NULL) munmap(fl_image_state.segment, fl_segment_size());
  if (fl_image_state.process != NULL) munmap(fl_image_state.process, FL_HEADER_SIZE);
  fl_gate_unmap(gate);
}
