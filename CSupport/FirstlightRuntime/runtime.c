// A first call, and readiness.
//
// A guard is 0 once its function has run in this process. A first call claims its guard by
// exchange, so each guard is recorded once however many threads race for it. It takes a slot of the
// segment, which has as many slots as guards, so the queue cannot overflow. It fills the slot and
// publishes it by storing its guard last, with release. That pairs with the acquire load in the
// reader, or with the kernel's write-back after the process has ended.
//
// Guards and segment belong to one process. A forked child inherits zeroed guards, since the parent
// records what ran before the fork, and creates its own files at its next first call. It detects
// the fork by a page that the kernel wipes on fork. That works for raw clone too, and not for
// vfork, whose child borrows the parent's memory and records into the parent's segment.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <time.h>
#include <unistd.h>

#include "critical.h"
#include "clock.h"
#include "environment.h"
#include "file.h"
#include "firstlight.h"
#include "gate.h"
#include "image_state.h"
#include "recording.h"
#include "scratch.h"
#include "thread.h"

FL_HIDDEN __attribute__((noinline)) void fl_first_call(uint32_t *guard, void *caller) {
  // The hook has seen that the guard is set. Pairs with the release stores in set_guards(): the
  // code below sees the started recording. The hook's own load stays relaxed, since each call pays
  // for it.
  __atomic_thread_fence(__ATOMIC_ACQUIRE);
  if (FL_UNLIKELY(__atomic_load_n(fl_image_state.gate, __ATOMIC_ACQUIRE) != FL_OPEN)) {
    int state = fl_recording_pass();
    if (state == FL_CLOSED) __atomic_store_n(guard, 0, __ATOMIC_RELAXED);
    if (state != FL_OPEN) return;
  }
  struct fl_process_header *process = fl_image_state.process;
  // Relaxed, since pausing takes effect soon, and publishes nothing. The guard stays set for later.
  if (FL_UNLIKELY(__atomic_load_n(&process->paused, __ATOMIC_RELAXED) != 0)) return;
  // Relaxed: the exchange only decides which thread records; the record is published below.
  uint32_t claimed = __atomic_exchange_n(guard, 0, __ATOMIC_RELAXED);
  if (FL_UNLIKELY(claimed == 0)) return;
  struct fl_segment_header *segment = fl_image_state.segment;
  uint32_t slot = __atomic_fetch_add(&segment->count, 1, __ATOMIC_RELAXED);
  uint32_t guard_count = fl_image_state.guard_count;
  if (FL_UNLIKELY(slot >= guard_count || claimed > guard_count)) {
    // Only possible if other code writes to the guards or to the file.
    __atomic_fetch_add(&segment->drops, 1, __ATOMIC_RELAXED);
    return;
  }
  struct fl_record *record = (struct fl_record *)((char *)segment + FL_HEADER_SIZE) + slot;
  struct timespec now;
  if (FL_UNLIKELY(clock_gettime(CLOCK_MONOTONIC, &now) != 0)) now = (struct timespec){0, 0};
  record->thread = fl_thread_id();
  record->time = (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
  record->caller = (uint32_t)((uintptr_t)caller - fl_image_state.image_start);
  record->sequence = __atomic_fetch_add(&process->sequence, 1, __ATOMIC_RELAXED);
  // A signal handler may have forked meanwhile: the slot and this call belong to the parent.
  if (FL_UNLIKELY(__atomic_load_n(fl_image_state.gate, __ATOMIC_RELAXED) != FL_OPEN ||
                  fl_image_state.process != process))
    return;
  // Pairs with the reader's acquire load of `guard`: a record whose guard is seen is complete.
  __atomic_store_n(&record->guard, claimed, __ATOMIC_RELEASE);
}

FL_LOCAL void create_ready_file(const struct fl_process_id *id) {
  struct fl_scratch *scratch = fl_scratch_take();
  if (scratch == NULL) return;
  fl_process_file_name(scratch->name, id, ".ready");
  int file = open(scratch->name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
  if (file >= 0) close(file);
  fl_scratch_give(scratch);
}

FL_HIDDEN void firstlight_ready(void) {
  if (fl_image_state.gate == NULL && !fl_environment_wants_recording()) return;
  int saved = errno;
  struct fl_critical section;
  fl_critical_begin(&section);
  struct fl_process_header *process = fl_recording_process();
  uint64_t never = 0;
  if (process != NULL &&
      __atomic_compare_exchange_n(&process->ready, &never, fl_clock(CLOCK_MONOTONIC), false,
                                  __ATOMIC_RELAXED, __ATOMIC_RELAXED))
    create_ready_file(&process->process);
  fl_critical_end(&section);
  errno = saved;
}
