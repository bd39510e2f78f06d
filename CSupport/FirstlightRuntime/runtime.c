// The hooks that -fsanitize-coverage=trace-pc-guard,pc-table calls.
//
// A guard is not 0 while its function has not run in this process, else 0. The hook's fast path is
// one load and one branch. A first call claims its guard by exchange, so each guard is recorded
// once however many threads race for it; takes a slot, of which there are as many as guards, so the
// queue cannot overflow; fills it and publishes it by storing its guard last, with release (pairs
// with the acquire load in the reader, or with the kernel's write-back once the process is gone).
//
// Guards and segment are one process's: a forked child inherits zeroed guards (what ran before the
// fork is the parent's to tell) and, at its next first call, makes files of its own. It learns that
// it is a child from a page that the kernel wipes on fork; that covers raw clone as well, and
// leaves vfork alone, whose child borrows the parent's memory and records into the parent's
// segment.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <time.h>
#include <unistd.h>

#include "clock.h"
#include "environment.h"
#include "file.h"
#include "firstlight.h"
#include "here.h"
#include "process.h"
#include "scratch.h"
#include "thread.h"

struct fl_here fl_here = {.generation = 1};

FL_HIDDEN bool fl_pass_gate(void) {
  int seen = __atomic_load_n(fl_here.gate, __ATOMIC_ACQUIRE);
  if (!FL_UNLIKELY(seen != FL_OPEN)) return true;
  int saved = errno;
  int self = (int)fl_thread_tag();
  int wiped = FL_WIPED;
  bool passed = true;
  if (__atomic_compare_exchange_n(fl_here.gate, &wiped, self, false, __ATOMIC_ACQUIRE,
                                  __ATOMIC_ACQUIRE)) {
    fl_segment_start_after_fork();
    // Pairs with the acquire loads above and below: who sees FL_OPEN sees the new segment.
    __atomic_store_n(fl_here.gate, FL_OPEN, __ATOMIC_RELEASE);
  } else if (wiped != self) {
    while (__atomic_load_n(fl_here.gate, __ATOMIC_ACQUIRE) != FL_OPEN) sched_yield();
  } else {
    passed = false;
  }
  errno = saved;
  return passed;
}

FL_HIDDEN __attribute__((noinline)) void fl_first_call(uint32_t *guard, void *caller) {
  if (FL_UNLIKELY(__atomic_load_n(fl_here.gate, __ATOMIC_ACQUIRE) != FL_OPEN) && !fl_pass_gate())
    return;
  struct fl_process_header *process = fl_here.process;
  if (FL_UNLIKELY(fl_here.recording == FL_OFF)) {
    __atomic_store_n(guard, 0, __ATOMIC_RELAXED);
    return;
  }
  // Relaxed: pausing takes effect soon, and publishes nothing. The guard stays for later.
  if (FL_UNLIKELY(__atomic_load_n(&process->paused, __ATOMIC_RELAXED) != 0)) return;
  // Acquire pairs with reset's stores of guards: who claims one sees the segment it belongs to. The
  // exchange otherwise only decides who records; the record itself is published below.
  uint32_t claimed = __atomic_exchange_n(guard, 0, __ATOMIC_ACQUIRE);
  if (FL_UNLIKELY(claimed == 0)) return;
  struct fl_segment_header *segment = fl_here.segments[claimed >> FL_GUARD_BITS];
  claimed &= FL_GUARD_MASK;
  uint32_t slot = __atomic_fetch_add(&segment->count, 1, __ATOMIC_RELAXED);
  uint32_t guard_count = fl_here.guard_count;
  if (FL_UNLIKELY(slot >= guard_count || claimed > guard_count)) {
    // Cannot happen unless somebody else writes to the guards or to the file.
    __atomic_fetch_add(&segment->drops, 1, __ATOMIC_RELAXED);
    return;
  }
  struct fl_record *record = (struct fl_record *)((char *)segment + FL_HEADER_SIZE) + slot;
  struct timespec now;
  if (FL_UNLIKELY(clock_gettime(CLOCK_MONOTONIC, &now) != 0)) now = (struct timespec){0, 0};
  record->thread = fl_thread_id();
  record->time = (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
  record->caller = (uint32_t)((uintptr_t)caller - fl_here.image_start);
  record->sequence = __atomic_fetch_add(&process->sequence, 1, __ATOMIC_RELAXED);
  // A signal handler may have forked since: the parent tells of this call, and the slot is its own.
  if (FL_UNLIKELY(__atomic_load_n(fl_here.gate, __ATOMIC_RELAXED) != FL_OPEN ||
                  fl_here.process != process))
    return;
  // Pairs with the reader's acquire load of `guard`: a record whose guard is seen is complete.
  __atomic_store_n(&record->guard, claimed, __ATOMIC_RELEASE);
}

// The interface between compiler and runtime:
// https://clang.llvm.org/docs/SanitizerCoverage.html#tracing-pcs-with-guards

/// Called by a constructor of every object file, each time with the whole image's guards.
FL_HIDDEN void __sanitizer_cov_trace_pc_guard_init(uint32_t *start, uint32_t *stop) {
  if (fl_here.guards != NULL || start == stop) return;
  int saved = errno;
  fl_segment_attach(start, stop);
  errno = saved;
}

/// Called after it with the image's PC table: for each guard the entry's address and flags.
FL_HIDDEN void __sanitizer_cov_pcs_init(const uintptr_t *start, const uintptr_t *stop) {
  fl_here.pcs = start;
  fl_here.pcs_count = (uint32_t)((stop - start) / 2);
  fl_segment_set_pcs(fl_here.segments[fl_here.current]);
}

// On a line of its own, so that its cost does not depend on what is linked around it.
FL_HIDDEN __attribute__((aligned(64))) void __sanitizer_cov_trace_pc_guard(uint32_t *guard) {
  if (__builtin_expect(__atomic_load_n(guard, __ATOMIC_RELAXED) == 0, 1)) return;
  fl_first_call(guard, __builtin_return_address(0));
}

FL_LOCAL void make_ready_file(const struct fl_process_id *id) {
  struct fl_scratch *scratch = fl_scratch_take();
  if (scratch == NULL) return;
  fl_process_file_name(scratch->name, id, ".ready");
  int file = open(scratch->name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
  if (file >= 0) close(file);
  fl_scratch_give(scratch);
}

FL_HIDDEN void firstlight_ready(void) {
  int saved = errno;
  // A program built without guards can say that it is ready too.
  if (fl_here.process == NULL && fl_environment_wants_recording())
    fl_here.process = fl_process_open(NULL);
  if (fl_here.process != NULL && (fl_here.gate == NULL || fl_pass_gate()) &&
      fl_here.process != NULL) {
    uint64_t never = 0;
    if (__atomic_compare_exchange_n(&fl_here.process->ready, &never, fl_clock(CLOCK_MONOTONIC),
                                    false, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
      make_ready_file(&fl_here.process->process);
    }
  }
  errno = saved;
}
