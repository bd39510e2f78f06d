// API calls that act on all images of the process.
#define _GNU_SOURCE
#include <errno.h>
#include <sys/mman.h>

#include "critical.h"
#include "file.h"
#include "firstlight.h"
#include "fork.h"
#include "gate.h"
#include "image_state.h"
#include "peers.h"

struct request {
  const char *directory;
  bool failed;
  int error;
};

/// Visits the images while forks of this process wait.
FL_LOCAL void visit_all(bool (*visit)(struct fl_control *control, void *context), void *context) {
  bool excluded = fl_fork_exclude();
  fl_peers_visit(visit, context);
  fl_fork_admit(excluded);
}

FL_LOCAL void note_failure(struct request *request) {
  if (!request->failed) request->error = errno;
  request->failed = true;
}

FL_LOCAL bool start_one(struct fl_control *control, void *context) {
  struct request *request = context;
  if (!control->start(request->directory)) note_failure(request);
  return false;
}

FL_LOCAL bool find_process(struct fl_control *control, void *context) {
  bool *found = context;
  *found = control->process() != NULL;
  return *found;
}

FL_HIDDEN bool firstlight_start(const char *directory) {
  struct request request = {.directory = directory};
  bool is_recorded = false;
  struct fl_critical section;
  fl_critical_begin(&section);
  visit_all(start_one, &request);
  visit_all(find_process, &is_recorded);
  fl_critical_end(&section);
  if (request.failed) errno = request.error;
  return !request.failed && is_recorded;
}

FL_LOCAL bool pause_one(struct fl_control *control, void *context) {
  control->pause(*(const bool *)context);
  return false;
}

FL_LOCAL void set_paused(bool paused) {
  int saved = errno;
  visit_all(pause_one, &paused);
  errno = saved;
}

FL_HIDDEN void firstlight_pause(void) { set_paused(true); }

FL_HIDDEN void firstlight_resume(void) { set_paused(false); }

struct mapped {
  void *start;
  unsigned long size;
};

// For over a thousand images, each with a process file, a segment and marks.
enum { FILES_MAX = 4096 };

struct flush {
  struct request request;
  struct mapped *files;
  unsigned count;
};

/// Maps a file once more, so that it stays mapped if its image is unloaded.
FL_LOCAL void take_file(void *start, unsigned long size, void *context) {
  struct flush *flush = context;
  errno = ENOMEM;
  void *copy = flush->count == FILES_MAX ? NULL : fl_file_map_again(start, size);
  if (copy == NULL) note_failure(&flush->request);
  else flush->files[flush->count++] = (struct mapped){copy, size};
}

FL_LOCAL bool take_files(struct fl_control *control, void *context) {
  control->files(take_file, context);
  return false;
}

FL_HIDDEN bool firstlight_flush(void) {
  unsigned long size = FILES_MAX * sizeof(struct mapped);
  void *files = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (files == MAP_FAILED) return false;
  struct flush flush = {.files = files};
  struct fl_critical section;
  fl_critical_begin(&section);
  visit_all(take_files, &flush);
  // Without the loader's lock: the disk may be slow, and others need the lock to fork and to load
  // libraries.
  for (unsigned i = 0; i < flush.count; i++) {
    struct mapped file = flush.files[i];
    if (msync(file.start, file.size, MS_SYNC) != 0) note_failure(&flush.request);
    munmap(file.start, file.size);
  }
  munmap(files, size);
  fl_critical_end(&section);
  if (flush.request.failed) errno = flush.request.error;
  return !flush.request.failed;
}

FL_HIDDEN bool firstlight_is_recording(void) {
  // The memory that replaces a truncated file has no magic.
  return fl_image_state.recording == FL_ON && *fl_image_state.gate != FL_CLOSED &&
         __atomic_load_n(&fl_image_state.process->paused, __ATOMIC_RELAXED) == 0 &&
         fl_image_state.process->magic == FL_PROCESS_MAGIC &&
         fl_image_state.segment->magic == FL_SEGMENT_MAGIC;
}
