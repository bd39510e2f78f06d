// The hooks that -fsanitize-coverage=trace-pc-guard,pc-table calls, and the writer of segments.
//
// A guard is index + 1 while its function has not run in this process, else 0. The hook's fast path
// is one load and one branch. A first call claims its guard by exchange, so each guard is recorded
// once however many threads race for it; takes a slot, of which there are as many as guards, so the
// queue cannot overflow; fills it and publishes it by storing its guard last, with release (pairs
// with the acquire load in the reader, or with the kernel's write-back once the process is gone).
//
// Guards and segment are one process's: a forked child inherits zeroed guards (what ran before the
// fork is the parent's to tell) and, at its next first call, makes files of its own. It learns that
// it is a child from a page that the kernel wipes on fork; that covers raw clone as well, and leaves
// vfork alone, whose child borrows the parent's memory and records into the parent's segment.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "attributes.h"
#include "firstlight.h"
#include "image.h"
#include "process.h"

enum recording { OFF, ON };

// Written by constructors, which the loader runs one at a time, and by a forked child before it
// opens the gate below.
static struct fl_process_header *process;
static struct fl_segment_header *segment;
static struct fl_record *records;
static uintptr_t image_start;  // run-time address of the image's first mapped byte
static enum recording recording = OFF;

static uint32_t *guards;
static uint32_t guard_count;

// The page that fork wipes; its first word is the gate. WIPED: this is a forked child that has no
// files yet. OPEN: go on. Else the id of the thread that is making them.
enum { WIPED = 0, OPEN = -1 };
static int *gate;

// Cached, since asking costs a system call. Initial-exec: no lazy allocation; four bytes of the
// static TLS that the loader keeps for such libraries.
static _Thread_local uint32_t thread_id __attribute__((tls_model("initial-exec")));

FL_LOCAL uint32_t current_thread(void) {
  if (FL_UNLIKELY(thread_id == 0)) thread_id = (uint32_t)syscall(SYS_gettid);
  return thread_id;
}

/// Makes this image's segment for the current process. `model`: the header of the parent's segment
/// to copy the image's identity from, or null to ask the loader.
FL_LOCAL bool make_segment(const struct fl_segment_header *model) {
  uint32_t number = __atomic_fetch_add(&process->images, 1, __ATOMIC_RELAXED);
  unsigned long size = FL_HEADER_SIZE + (unsigned long)guard_count * FL_RECORD_SIZE;
  char temporary[FL_FILE_MAX];
  struct fl_segment_header *made = fl_file_make(temporary, &process->process, number + 1, size);
  if (made == NULL) {
    __atomic_store_n(&process->lost_error, (uint32_t)errno, __ATOMIC_RELAXED);
    __atomic_fetch_add(&process->lost_images, 1, __ATOMIC_RELAXED);
    return false;
  }
  if (model != NULL)
    memcpy(made, model, offsetof(struct fl_segment_header, count));
  else
    fl_image_describe(made, guards);
  made->magic = FL_SEGMENT_MAGIC;
  made->version = FL_ABI_VERSION;
  made->header_size = FL_HEADER_SIZE;
  made->record_size = FL_RECORD_SIZE;
  made->capacity = guard_count;
  made->process = process->process;
  made->monotonic = fl_clock(CLOCK_MONOTONIC);
  made->realtime = fl_clock(CLOCK_REALTIME);
  made->guards_start = (uint64_t)((uintptr_t)guards - made->load_bias);
  char name[FL_FILE_MAX];
  fl_segment_file_name(name, &process->process, number);
  if (rename(temporary, name) != 0) {
    int error = errno;
    __atomic_store_n(&process->lost_error, (uint32_t)error, __ATOMIC_RELAXED);
    __atomic_fetch_add(&process->lost_images, 1, __ATOMIC_RELAXED);
    munmap(made, size);
    unlink(temporary);
    errno = error;
    return false;
  }
  segment = made;
  records = (struct fl_record *)((char *)made + FL_HEADER_SIZE);
  image_start = (uintptr_t)(made->load_bias + made->image_start);
  return true;
}

/// Starts a forked child's own files. Its guards go on from where the parent's were.
FL_LOCAL void start_after_fork(void) {
  thread_id = 0;
  const struct fl_segment_header *parent_segment = segment;
  const struct fl_process_header *parent = process;
  process = fl_process_open(parent);
  if (process == NULL || !make_segment(parent_segment)) {
    fl_complain("cannot record this forked process", errno);
    recording = OFF;
  }
}

/// Lets the first thread of a forked child make its files while the others wait.
/// False: called by a signal handler that interrupted just that; the guard stays for its next call.
FL_LOCAL bool pass_gate(void) {
  int seen = __atomic_load_n(gate, __ATOMIC_ACQUIRE);
  if (!FL_UNLIKELY(seen != OPEN)) return true;
  int saved = errno;
  int self = (int)syscall(SYS_gettid);
  int wiped = WIPED;
  if (__atomic_compare_exchange_n(gate, &wiped, self, false, __ATOMIC_ACQUIRE, __ATOMIC_ACQUIRE)) {
    start_after_fork();
    // Pairs with the acquire loads above and below: who sees OPEN sees the new segment.
    __atomic_store_n(gate, OPEN, __ATOMIC_RELEASE);
  } else if (wiped != self) {
    while (__atomic_load_n(gate, __ATOMIC_ACQUIRE) != OPEN) sched_yield();
  } else {
    errno = saved;
    return false;
  }
  errno = saved;
  return true;
}

FL_HIDDEN __attribute__((noinline, cold)) void fl_first_call(uint32_t *guard, void *caller) {
  if (!pass_gate()) return;
  // Relaxed: the exchange only decides who records; the record itself is published below.
  uint32_t claimed = __atomic_exchange_n(guard, 0, __ATOMIC_RELAXED);
  if (claimed == 0 || recording == OFF) return;
  uint32_t slot = __atomic_fetch_add(&segment->count, 1, __ATOMIC_RELAXED);
  if (FL_UNLIKELY(slot >= guard_count || claimed > guard_count)) {
    // Cannot happen unless somebody else writes to the guards or to the file.
    __atomic_fetch_add(&segment->drops, 1, __ATOMIC_RELAXED);
    return;
  }
  struct fl_record *record = &records[slot];
  record->thread = current_thread();
  record->time = fl_clock(CLOCK_MONOTONIC);
  record->sequence = __atomic_fetch_add(&process->sequence, 1, __ATOMIC_RELAXED);
  record->caller = (uint32_t)((uintptr_t)caller - image_start);
  // Pairs with the reader's acquire load of `guard`: a record whose guard is seen is complete.
  __atomic_store_n(&record->guard, claimed, __ATOMIC_RELEASE);
}

/// Once per image and process, from a constructor. `start` and `stop` bound the image's guards.
FL_LOCAL void start_recording(uint32_t *start, uint32_t *stop) {
  gate = mmap(NULL, (size_t)sysconf(_SC_PAGESIZE), PROT_READ | PROT_WRITE,
              MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (gate == MAP_FAILED || madvise(gate, (size_t)sysconf(_SC_PAGESIZE), MADV_WIPEONFORK) != 0) {
    fl_complain("cannot get a page that is wiped on fork; not recording", errno);
    return;
  }
  *gate = OPEN;
  if (process == NULL) process = fl_process_open(NULL);
  if (process == NULL) {
    fl_complain("cannot write to FIRSTLIGHT_DIR; not recording", errno);
    return;
  }
  guards = start;
  guard_count = (uint32_t)(stop - start);
  if (!make_segment(NULL)) {
    fl_complain("cannot make a segment in FIRSTLIGHT_DIR; not recording", errno);
    return;
  }
  recording = ON;
  // Binds the functions that the hook calls, so that a hook never enters the loader.
  (void)current_thread();
  (void)fl_clock(CLOCK_MONOTONIC);
  for (uint32_t i = 0; i < guard_count; i++) start[i] = i + 1;
}

// The interface between compiler and runtime:
// https://clang.llvm.org/docs/SanitizerCoverage.html#tracing-pcs-with-guards

/// Called by a constructor of every object file, each time with the whole image's guards.
FL_HIDDEN void __sanitizer_cov_trace_pc_guard_init(uint32_t *start, uint32_t *stop) {
  static bool asked;  // constructors run one at a time, under the loader's lock
  if (asked || start == stop) return;
  asked = true;
  int saved = errno;
  if (fl_process_wanted()) start_recording(start, stop);
  errno = saved;
}

/// Called after it with the image's PC table: for each guard the entry's address and flags.
FL_HIDDEN void __sanitizer_cov_pcs_init(const uintptr_t *start, const uintptr_t *stop) {
  if (segment == NULL || segment->pcs_count != 0) return;
  segment->pcs_start = (uint64_t)((uintptr_t)start - segment->load_bias);
  // Pairs with the reader's acquire load: who sees a count sees the start.
  __atomic_store_n(&segment->pcs_count, (uint32_t)((stop - start) / 2), __ATOMIC_RELEASE);
}

FL_HIDDEN void __sanitizer_cov_trace_pc_guard(uint32_t *guard) {
  if (__builtin_expect(__atomic_load_n(guard, __ATOMIC_RELAXED) == 0, 1)) return;
  fl_first_call(guard, __builtin_return_address(0));
}

FL_HIDDEN void firstlight_ready(void) {
  int saved = errno;
  // A program built without guards can say that it is ready too.
  if (process == NULL && fl_process_wanted()) process = fl_process_open(NULL);
  if (process != NULL && (gate == NULL || pass_gate()) && process != NULL) {
    uint64_t never = 0;
    if (__atomic_compare_exchange_n(&process->ready, &never, fl_clock(CLOCK_MONOTONIC), false,
                                    __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
      char name[FL_FILE_MAX];
      fl_process_file_name(name, &process->process, ".ready");
      int file = open(name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
      if (file >= 0) close(file);
    }
  }
  errno = saved;
}

FL_HIDDEN bool firstlight_is_recording(void) { return recording == ON; }
