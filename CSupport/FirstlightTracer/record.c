#define _GNU_SOURCE
#include "record.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "process_file.h"
#include "program.h"

uint64_t fl_now(clockid_t clock) {
  struct timespec now;
  clock_gettime(clock, &now);
  return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

struct fl_origin fl_origin_now(pid_t pid, pid_t parent) {
  return (struct fl_origin){.pid = pid,
                            .parent = parent,
                            .monotonic = fl_now(CLOCK_MONOTONIC),
                            .realtime = fl_now(CLOCK_REALTIME)};
}

struct fl_record *fl_record_begin(struct fl_records *records, const struct fl_origin *origin) {
  if (records->count == records->capacity) {
    uint32_t capacity = records->capacity == 0 ? 16 : records->capacity * 2;
    struct fl_record **items = realloc(records->items, capacity * sizeof *items);
    if (items == NULL) return NULL;
    records->items = items;
    records->capacity = capacity;
  }
  struct fl_record *record = calloc(1, sizeof *record);
  if (record == NULL) return NULL;
  record->index = records->count;
  records->items[records->count++] = record;

  struct fl_tracer_process *process = &record->process;
  process->pid = (uint32_t)origin->pid;
  process->parent_pid = (uint32_t)origin->parent;
  process->forked_from = origin->forked_from == NULL ? -1 : (int32_t)origin->forked_from->index;
  process->forked_at = origin->forked_at;
  process->monotonic = origin->monotonic;
  process->realtime = origin->realtime;
  process->requested = origin->requested;
  process->requested_ran = origin->requested_ran;
  process->start = fl_start_time(origin->pid);
  char path[PATH_MAX];
  // The path of an undumpable process cannot be read.
  bool is_known = fl_program_path(origin->pid, path, sizeof path);
  const char *inherited = origin->forked_from == NULL ? "" : origin->forked_from->process.path;
  record->path = strdup(is_known ? path : inherited);
  process->path = record->path != NULL ? record->path : "";
  record->command = fl_process_text(origin->pid, "cmdline", &process->command_size);
  process->command = record->command != NULL ? record->command : "";
  if (record->command == NULL) process->command_size = 0;
  const struct fl_tracer_host *host = records->host;
  if (host->sink != NULL) host->sink->began(host->context, record->index, process);
  return record;
}

void fl_record_add_image(const struct fl_records *records, struct fl_record *record, uint32_t image,
                         uint64_t load_bias) {
  const struct fl_tracer_host *host = records->host;
  struct fl_tracer_image added = {image, load_bias};
  if (host->sink != NULL) {
    host->sink->mapped(host->context, record->index, &added);
    return;
  }
  struct fl_tracer_process *process = &record->process;
  struct fl_tracer_image *images =
      realloc(record->images, (process->image_count + 1) * sizeof *images);
  if (images == NULL) return;
  process->images = record->images = images;
  images[process->image_count++] = added;
}

/// Makes room for one more item; false if memory is exhausted.
static bool grow(void **items, uint32_t count, uint32_t *capacity, size_t size) {
  if (count < *capacity) return true;
  uint32_t more = *capacity == 0 ? 256 : *capacity * 2;
  void *grown = realloc(*items, more * size);
  if (grown == NULL) return false;
  *items = grown;
  *capacity = more;
  return true;
}

int32_t fl_record_add_call(const struct fl_records *records, struct fl_record *record,
                           const struct fl_tracer_call *call, bool with_return) {
  struct fl_tracer_process *process = &record->process;
  const struct fl_tracer_host *host = records->host;
  uint32_t count = process->call_count;
  if (host->sink != NULL) {
    host->sink->called(host->context, record->index, call);
    process->call_count++;
    return (int32_t)count;
  }
  uint32_t capacity = record->call_capacity;
  bool has_room = grow((void **)&record->calls, count, &capacity, sizeof *record->calls);
  if (has_room && with_return) {
    uint32_t same = record->call_capacity;
    has_room = grow((void **)&record->returns, count, &same, sizeof *record->returns);
  }
  process->calls = record->calls;
  process->returns = record->returns;
  if (!has_room) {
    process->drops++;
    return -1;
  }
  record->call_capacity = capacity;
  record->calls[count] = *call;
  process->call_count++;
  return (int32_t)count;
}

void fl_record_add_stop(struct fl_record *record, const struct fl_tracer_stop *stop) {
  struct fl_tracer_process *process = &record->process;
  if (!grow((void **)&record->stops, process->stop_count, &record->stop_capacity,
            sizeof *record->stops))
    return;
  process->stops = record->stops;
  record->stops[process->stop_count++] = *stop;
}

void fl_record_add_moment(struct fl_record *record, const struct fl_tracer_moment *moment,
                          const char *text) {
  struct fl_tracer_process *process = &record->process;
  if (!grow((void **)&record->moments, process->moment_count, &record->moment_capacity,
            sizeof *record->moments))
    return;
  process->moments = record->moments;
  struct fl_tracer_moment *added = &record->moments[process->moment_count++];
  *added = *moment;
  if (text == NULL) return;
  uint32_t size = (uint32_t)strlen(text) + 1;
  char *texts = realloc(record->texts, record->texts_size + size);
  if (texts == NULL) return;
  memcpy(texts + record->texts_size, text, size);
  added->text = record->texts_size + 1;
  record->texts_size += size;
  process->texts = record->texts = texts;
}

void fl_records_free(struct fl_records *records) {
  for (uint32_t i = 0; i < records->count; i++) {
    struct fl_record *record = records->items[i];
    free(record->calls);
    free(record->returns);
    free(record->stops);
    free(record->moments);
    free(record->texts);
    free(record->images);
    free(record->path);
    free(record->command);
    free(record);
  }
  free(records->items);
}
