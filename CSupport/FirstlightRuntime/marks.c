// Marks and spans. A separate object file, so that only images that set marks contain it.
//
// All images of a process write into one marks file, which is created with the first mark: programs
// without marks have no cost, and start-up is not delayed before the program's own code. A mark
// claims a slot and space for its name by one fetch-and-add, fills both, and publishes the slot by
// storing its kind last, with release. That pairs with the acquire load in the reader, or with the
// kernel's write-back after the process has ended. Nothing is written twice: a mark never waits,
// and published marks survive any end of the process.
// The state of marks lies in a page that the kernel wipes on fork: a forked child finds it empty
// and creates its own file.
#define _GNU_SOURCE
#include "marks.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

#include "critical.h"
#include "clock.h"
#include "confine.h"
#include "environment.h"
#include "fault.h"
#include "file.h"
#include "firstlight.h"
#include "gate.h"
#include "image_state.h"
#include "peers.h"
#include "recording.h"
#include "report.h"
#include "scratch.h"
#include "thread.h"

struct page {
  int state;  // see gate.h; CLOSED if the file is impossible
  struct fl_process_header *process;
  struct fl_marks_header *file;
};

static struct page *known_page;  // null if this process is not to be recorded
static bool has_had_file;  // in this process, or in the one that forked it

/// Null if nothing is to be recorded. Acquire pairs with the release store in start().
FL_LOCAL inline struct page *page_if_started(void) {
  return __atomic_load_n(&known_page, __ATOMIC_ACQUIRE);
}

FL_LOCAL struct fl_mark *slot_of(struct fl_marks_header *file, uint32_t index) {
  return (struct fl_mark *)((char *)file + FL_HEADER_SIZE) + index;
}

FL_LOCAL char *text_of(struct fl_marks_header *file) {
  return (char *)slot_of(file, FL_MARK_CAPACITY);
}

FL_LOCAL struct fl_marks_header *create_file(const struct fl_process_id *id,
                                             struct fl_scratch *scratch) {
  fl_process_file_name(scratch->name, id, ".marks");
  struct fl_marks_header *file = fl_file_map(scratch->name, FL_MARKS_SIZE);
  if (file != NULL || errno != ENOENT) return file;
  // No segment uses this number.
  file = fl_file_create(scratch->temporary, id, UINT32_MAX, FL_MARKS_SIZE);
  if (file == NULL) return NULL;
  file->magic = FL_MARKS_MAGIC;
  file->version = FL_ABI_VERSION;
  file->header_size = FL_HEADER_SIZE;
  file->mark_size = FL_MARK_SIZE;
  file->capacity = FL_MARK_CAPACITY;
  file->text_size = FL_MARK_TEXT_SIZE;
  file->process = *id;
  file->monotonic = fl_clock(CLOCK_MONOTONIC);
  return fl_file_share(file, scratch->temporary, scratch->name, FL_MARKS_SIZE);
}

/// Null on failure, with errno.
FL_LOCAL struct fl_marks_header *create(const struct fl_process_id *id) {
  struct fl_scratch *scratch = fl_scratch_take();
  if (scratch == NULL) return NULL;
  struct fl_marks_header *file = create_file(id, scratch);
  int error = errno;
  fl_scratch_give(scratch);
  errno = error;
  return file;
}

FL_LOCAL int open_file(void) {
  struct page *page = page_if_started();
  struct fl_process_header *process = fl_recording_process();
  struct fl_marks_header *file = process == NULL ? NULL : create(&process->process);
  if (file == NULL) {
    // With a gate, recording.c has reported a missing process file.
    if (process != NULL || fl_image_state.gate == NULL)
      fl_report(process, FL_NOTICE_MARKS,
                "cannot make the marks file in FIRSTLIGHT_DIR; marks are not recorded", errno);
    return FL_CLOSED;
  }
  has_had_file = true;
  page->process = process;
  page->file = file;
  return FL_OPEN;
}

FL_LOCAL void count_loss(int error) {
  if (fl_image_state.process != NULL)
    fl_report_notice(fl_image_state.process,
                     error == 0 ? FL_NOTICE_MARKS_CONFINED : FL_NOTICE_MARKS, error);
}

/// Makes the first thread create the file. False if there is none.
FL_LOCAL __attribute__((noinline)) bool pass(struct page *page) {
  static const struct fl_gate gate = {open_file, count_loss};
  return fl_gate_pass(&page->state, &gate) == FL_OPEN;
}

/// Whether there is a file to write to, and recording is not paused.
FL_LOCAL inline bool is_on(struct page *page) {
  // Acquire pairs with the release in gate.c.
  if (FL_UNLIKELY(__atomic_load_n(&page->state, __ATOMIC_ACQUIRE) != FL_OPEN) && !pass(page))
    return false;
  return __atomic_load_n(&page->process->paused, __ATOMIC_RELAXED) == 0;
}

/// Number of bytes of a name to keep, in whole UTF-8 characters.
FL_LOCAL uint32_t kept_size(const char *name, size_t size) {
  if (size <= FL_MARK_NAME_MAX) return (uint32_t)size;
  uint32_t kept = FL_MARK_NAME_MAX;
  while (kept > FL_MARK_NAME_MAX - 4 && (name[kept] & 0xc0) == 0x80) kept--;
  return kept;
}

/// Whether a file with this usage has space for one more name.
FL_LOCAL inline bool fits(uint64_t used, uint32_t size) {
  return used >> 32 < FL_MARK_CAPACITY && (uint32_t)used <= FL_MARK_TEXT_SIZE - size;
}

/// Returns the slot's number, from 1; 0 if nothing was recorded.
FL_LOCAL uint32_t record(struct page *page, uint32_t kind, const char *name, size_t full_size) {
  if (!is_on(page)) return 0;
  struct fl_marks_header *file = page->file;
  uint32_t size = kept_size(name, full_size);
  // Checked before the addition: the counter of a full file stops, so it never wraps.
  if (!fits(__atomic_load_n(&file->used, __ATOMIC_RELAXED), size)) goto full;
  // Relaxed: only the reserved ranges of text and slots must be distinct.
  uint64_t used = __atomic_fetch_add(&file->used, (uint64_t)1 << 32 | size, __ATOMIC_RELAXED);
  if (FL_UNLIKELY(!fits(used, size))) goto full;
  uint32_t text = (uint32_t)used, index = (uint32_t)(used >> 32);
  struct fl_mark *slot = slot_of(file, index);
  memcpy(text_of(file) + text, name, size);
  slot->thread = fl_thread_id();
  slot->name = text;
  slot->name_size = size;
  slot->time = fl_clock(CLOCK_MONOTONIC);
  // A signal handler may have forked meanwhile: the slot and this mark belong to the parent.
  if (FL_UNLIKELY(__atomic_load_n(&page->state, __ATOMIC_RELAXED) != FL_OPEN || page->file != file))
    return 0;
  // Pairs with the reader's acquire load of `kind`: a mark whose kind is seen is complete.
  __atomic_store_n(&slot->kind, kind, __ATOMIC_RELEASE);
  return index + 1;
full:
  __atomic_fetch_add(&file->drops, 1, __ATOMIC_RELAXED);
  return 0;
}

FL_HIDDEN void firstlight_mark_sized(const char *name, size_t size) {
  struct page *page = page_if_started();
  if (page != NULL) record(page, FL_MARK_MOMENT, name, size);
}

FL_HIDDEN void firstlight_mark(const char *name) {
  struct page *page = page_if_started();
  if (page != NULL) record(page, FL_MARK_MOMENT, name, strlen(name));
}

/// Returns the span's number with the generation that began it.
FL_HIDDEN uint64_t firstlight_span_begin_sized(const char *name, size_t size) {
  struct page *page = page_if_started();
  if (page == NULL) return 0;
  uint64_t number = record(page, FL_MARK_SPAN, name, size);
  return number == 0 ? 0 : (uint64_t)fl_image_state.generation << 32 | number;
}

FL_HIDDEN uint64_t firstlight_span_begin(const char *name) {
  return page_if_started() == NULL ? 0 : firstlight_span_begin_sized(name, strlen(name));
}

FL_HIDDEN void firstlight_span_end(uint64_t span) {
  struct page *page = page_if_started();
  uint32_t number = (uint32_t)span;
  // A span also ends during a pause. A forked child without a file has begun none.
  if (page == NULL || number == 0 || number > FL_MARK_CAPACITY ||
      __atomic_load_n(&page->state, __ATOMIC_ACQUIRE) != FL_OPEN ||
      span >> 32 != fl_image_state.generation)
    return;
  struct fl_mark *slot = slot_of(page->file, number - 1);
  uint64_t time = fl_clock(CLOCK_MONOTONIC), never = 0;
  uint64_t duration = time > slot->time ? time - slot->time : 1;
  // Relaxed, since only the duration is published. Compared, since only the first end counts.
  __atomic_compare_exchange_n(&slot->duration, &never, duration, false, __ATOMIC_RELAXED,
                              __ATOMIC_RELAXED);
}

FL_HIDDEN bool firstlight_is_marking(void) {
  struct page *page = page_if_started();
  return page != NULL && is_on(page);
}

FL_LOCAL void open_now(void) {
  struct page *page = page_if_started();
  if (page != NULL) (void)pass(page);
}

FL_LOCAL void wipe(void) {
  struct page *page = page_if_started();
  if (page != NULL && page->state != FL_WIPED) *page = (struct page){.state = FL_WIPED};
}

FL_LOCAL void fork_marks(void) {
  if (has_had_file) open_now();
}

FL_LOCAL void start_page(void) {
  struct page *memory = fl_gate_map();
  if (memory == NULL) {
    if (fl_peers_may_report())
      (void)fl_report_line(NULL, "cannot get a page that is wiped on fork; no marks", errno);
    return;
  }
  fl_thread_check();
  // Binds the functions that a mark calls, so that a mark never calls the loader.
  (void)fl_clock(CLOCK_MONOTONIC);
  fl_fault_handle();
  __atomic_store_n(&known_page, memory, __ATOMIC_RELEASE);
  fl_confine_watch();
  // The process may already be confined at its first mark.
  if (fl_confine_is_possible()) fl_confine_while_free(open_now);
}

FL_LOCAL void start(void) {
  if (page_if_started() != NULL) return;
  struct fl_critical section;
  fl_critical_begin(&section);
  start_page();
  fl_critical_end(&section);
}

FL_LOCAL struct fl_marks_header *file_if_open(void) {
  struct page *page = page_if_started();
  bool is_open = page != NULL && __atomic_load_n(&page->state, __ATOMIC_ACQUIRE) == FL_OPEN;
  return is_open ? page->file : NULL;
}

FL_LOCAL void unload(void) {
  struct fl_marks_header *file = file_if_open();
  struct page *last = page_if_started();
  known_page = NULL;
  if (file != NULL) munmap(file, FL_MARKS_SIZE);
  if (last != NULL) fl_gate_unmap(&last->state);
}

/// Runs with the constructors that set up guards.
__attribute__((constructor(2))) FL_LOCAL void load(void) {
  static const struct fl_marks marks = {start, wipe, fork_marks, file_if_open, unload};
  fl_image_state.marks = &marks;
  int saved = errno;
  if (fl_environment_wants_recording()) start();
  errno = saved;
}
