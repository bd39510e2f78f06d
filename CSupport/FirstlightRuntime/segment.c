#define _GNU_SOURCE
#include "segment.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "clock.h"
#include "entries.h"
#include "file.h"
#include "image.h"
#include "image_state.h"
#include "scratch.h"

FL_HIDDEN unsigned long fl_segment_size(void) {
  return FL_HEADER_SIZE + (unsigned long)fl_image_state.guard_count * FL_RECORD_SIZE;
}

FL_LOCAL void count_lost_image(struct fl_process_header *process, int error) {
  __atomic_store_n(&process->lost_error, (uint32_t)error, __ATOMIC_RELAXED);
  __atomic_fetch_add(&process->lost_images, 1, __ATOMIC_RELAXED);
}

FL_HIDDEN void fl_segment_count_lost_child(struct fl_process_header *parent, int error) {
  __atomic_fetch_add(&parent->images, 1, __ATOMIC_RELAXED);
  count_lost_image(parent, error);
}

/// Null on failure, with errno.
FL_LOCAL struct fl_segment_header *create_file(const struct fl_segment_header *model,
                                               uint32_t number, struct fl_scratch *scratch) {
  struct fl_process_header *process = fl_image_state.process;
  // Readers refuse a segment whose owner differs from the process file's.
  if (process->user != (uint32_t)geteuid()) {
    errno = EPERM;
    return NULL;
  }
  if (!fl_entries_map()) return NULL;
  struct fl_segment_header *segment =
      fl_file_create(scratch->temporary, &process->process, number + 1, fl_segment_size());
  if (segment == NULL) return NULL;
  // A truncated file has lost its header.
  if (model != NULL && model->magic == FL_SEGMENT_MAGIC)
    memcpy(segment, model, offsetof(struct fl_segment_header, count));
  else fl_image_describe(segment, &fl_image_state);
  segment->magic = FL_SEGMENT_MAGIC;
  segment->version = FL_ABI_VERSION;
  segment->header_size = FL_HEADER_SIZE;
  segment->record_size = FL_RECORD_SIZE;
  segment->capacity = fl_image_state.guard_count;
  segment->process = process->process;
  segment->monotonic = fl_clock(CLOCK_MONOTONIC);
  segment->realtime = fl_clock(CLOCK_REALTIME);
  const void *functions = fl_entries.table;
  segment->recorder = functions == NULL ? FL_RECORDER_GUARDS : FL_RECORDER_ENTRY_HOOKS;
  if (functions == NULL) functions = fl_image_state.guards;
  segment->guards_start = (uint64_t)((uintptr_t)functions - segment->load_bias);
  fl_segment_file_name(scratch->name, &process->process, number, ".segment");
  if (rename(scratch->temporary, scratch->name) == 0) return segment;
  int error = errno;
  munmap(segment, fl_segment_size());
  unlink(scratch->temporary);
  errno = error;
  return NULL;
}

FL_HIDDEN struct fl_segment_header *fl_segment_create(const struct fl_segment_header *model,
                                                      uint32_t *number) {
  struct fl_process_header *process = fl_image_state.process;
  *number = __atomic_fetch_add(&process->images, 1, __ATOMIC_RELAXED);
  struct fl_scratch *scratch = fl_scratch_take();
  struct fl_segment_header *segment = scratch == NULL ? NULL : create_file(model, *number, scratch);
  int error = errno;
  if (scratch != NULL) fl_scratch_give(scratch);
  if (segment == NULL) count_lost_image(process, error);
  errno = error;
  return segment;
}
