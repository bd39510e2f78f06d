// The record of one process, kept after it has ended.
#ifndef FL_TRACER_RECORD_H
#define FL_TRACER_RECORD_H

#include <time.h>

#include "include/firstlight_tracer.h"

/// The origin of a process: the data to begin its record later, at its first call.
struct fl_origin {
  pid_t pid;
  pid_t parent;
  struct fl_record *forked_from;  // owned by the records
  uint32_t forked_at;
  uint64_t monotonic, realtime;
  uint64_t requested;  // 0: unknown
  uint64_t requested_ran;
};

struct fl_record {
  struct fl_tracer_process process;
  uint32_t index;
  uint32_t call_capacity;
  struct fl_tracer_call *calls;
  struct fl_tracer_image *images;
  // Present if the host's flags ask for them.
  struct fl_tracer_return *returns;  // one for each call
  struct fl_tracer_stop *stops;
  uint32_t stop_capacity;
  struct fl_tracer_moment *moments;
  uint32_t moment_capacity;
  char *texts;
  uint32_t texts_size;
  char *path, *command;
};

/// Owns all records of a tracer.
struct fl_records {
  uint32_t count, capacity;
  struct fl_record **items;
  const struct fl_tracer_host *host;
};

uint64_t fl_now(clockid_t clock);

/// The origin of a process that begins now.
struct fl_origin fl_origin_now(pid_t pid, pid_t parent);

/// Begins a record of a living process. NULL if memory is exhausted.
struct fl_record *fl_record_begin(struct fl_records *records, const struct fl_origin *origin);

void fl_record_add_image(const struct fl_records *records, struct fl_record *record, uint32_t image,
                         uint64_t load_bias);
/// Adds a call and returns its index, or -1 if memory is exhausted.
int32_t fl_record_add_call(const struct fl_records *records, struct fl_record *record,
                           const struct fl_tracer_call *call, bool with_return);
void fl_record_add_stop(struct fl_record *record, const struct fl_tracer_stop *stop);
/// Adds a moment; `text`: its path, or NULL.
void fl_record_add_moment(struct fl_record *record, const struct fl_tracer_moment *moment,
                          const char *text);
void fl_records_free(struct fl_records *records);

#endif
