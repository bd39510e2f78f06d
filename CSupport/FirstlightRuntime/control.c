// The API, which works on all images of the process.
#define _GNU_SOURCE
#include "control.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "firstlight.h"
#include "here.h"
#include "image.h"
#include "marks.h"
#include "process.h"

// One for each copy of the runtime. Copies of other versions are left alone.
enum { VERSION = 1 };
// Whether exit was called; UNKNOWN where nobody looks.
enum { UNKNOWN, RUNNING, EXITING };
struct fl_control {
  uint32_t version;
  uint32_t said;      // a line has been written to standard error
  uint32_t state;     // of the executable's copy only
  uint32_t reserved;
  bool (*start)(const char *directory);
  bool (*reset)(void);
  bool (*flush)(void);
  void (*gate)(bool on);
  struct fl_process_header *(*process)(void);  // null: not being recorded
  const char *(*directory)(void);
};

const struct fl_marks *fl_marks;

FL_LOCAL bool start_here(const char *directory) {
  if (fl_here.recording == FL_ON) return true;
  if (!fl_process_want(directory)) {
    errno = EINVAL;
    return fl_here.guards == NULL;
  }
  if (fl_marks != NULL) fl_marks->wake();
  return fl_segment_start();
}

FL_LOCAL bool reset_here(void) {
  if (fl_marks != NULL) fl_marks->forget();
  return fl_segment_restart();
}

FL_LOCAL bool flush_here(void) {
  if (fl_marks != NULL && !fl_marks->flush()) return false;
  if (fl_here.recording == FL_OFF) return true;
  return msync(fl_here.process, FL_HEADER_SIZE, MS_SYNC) == 0 &&
         msync(fl_here.segments[fl_here.current], fl_segment_size(), MS_SYNC) == 0;
}

FL_LOCAL struct fl_process_header *process_here(void) {
  // Without guards there is a process all the same once it was ready or has marked.
  if (fl_here.guards == NULL)
    return fl_here.process != NULL && fl_here.process->process.pid == (uint32_t)getpid()
               ? fl_here.process
               : NULL;
  return fl_here.recording == FL_ON && fl_pass_gate() && fl_here.recording == FL_ON
             ? fl_here.process
             : NULL;
}

FL_LOCAL const char *directory_here(void) {
  return fl_here.recording == FL_ON ? fl_process_directory() : NULL;
}

// Made by the compiler in each object with gated guards, and by the linker one of them.
extern uint64_t __sancov_should_track __attribute__((weak, visibility("hidden")));

FL_HIDDEN void fl_gate_hooks(bool on) {
  if (fl_here.guards != NULL && &__sancov_should_track != NULL)
    __atomic_store_n(&__sancov_should_track, on, __ATOMIC_RELAXED);
}

__attribute__((visibility("hidden"), used)) struct fl_control fl_control = {
    VERSION, 0, UNKNOWN, 0, start_here, reset_here, flush_here, fl_gate_hooks, process_here,
    directory_here,
};

// FL_NOTE_NAME, FL_NOTE_TYPE.
__asm__(
    ".pushsection .note.firstlight,\"a\",@note\n"
    ".balign 4\n"
    ".long 11, 8, 1\n"
    ".asciz \"Firstlight\"\n"
    ".balign 4\n"
    ".quad fl_control - .\n"
    ".popsection\n");

/// The copy that a note belongs to; null if it is of another version.
FL_LOCAL struct fl_control *control_of(const char *note) {
  int64_t distance;
  memcpy(&distance, note, sizeof distance);
  struct fl_control *control = (struct fl_control *)(note + distance);
  return control->version == VERSION ? control : NULL;
}

FL_LOCAL int find_said(const char *note, void *context) {
  struct fl_control *control = control_of(note);
  if (control != NULL && control->said != 0) *(uint32_t **)context = &control->said;
  return 0;
}

FL_HIDDEN uint32_t *fl_control_said(void) {
  uint32_t *said = &fl_control.said;
  fl_image_notes(find_said, &said);
  return said;
}

FL_LOCAL int find_directory(const char *note, void *context) {
  struct fl_control *control = control_of(note);
  const char **directory = context;
  if (control != NULL) *directory = control->directory();
  return *directory != NULL;
}

FL_HIDDEN const char *fl_control_directory(void) {
  const char *directory = NULL;
  fl_image_notes(find_directory, &directory);
  return directory;
}

FL_LOCAL int find_process(const char *note, void *context) {
  struct fl_control *control = control_of(note);
  struct fl_process_header **process = context;
  if (control != NULL) *process = control->process();
  return *process != NULL;
}

FL_LOCAL struct fl_process_header *recorded_process(void) {
  struct fl_process_header *process = process_here();
  if (process == NULL) fl_image_notes(find_process, &process);
  return process;
}

struct request {
  const char *directory;
  bool on, failed;
  int error;
};

FL_LOCAL void note_failure(struct request *request) {
  if (!request->failed) request->error = errno;
  request->failed = true;
}

FL_LOCAL int start_one(const char *note, void *context) {
  struct fl_control *control = control_of(note);
  struct request *request = context;
  if (control != NULL && !control->start(request->directory)) note_failure(request);
  return 0;
}

FL_HIDDEN bool firstlight_start(const char *directory) {
  struct request request = {.directory = directory};
  fl_image_notes(start_one, &request);
  if (request.failed) errno = request.error;
  return !request.failed && recorded_process() != NULL;
}

FL_LOCAL int gate_one(const char *note, void *context) {
  struct fl_control *control = control_of(note);
  const struct request *request = context;
  if (control != NULL && control->process() != NULL) control->gate(request->on);
  return 0;
}

FL_LOCAL void set_paused(bool paused) {
  int saved = errno;
  struct fl_process_header *process = recorded_process();
  if (process != NULL) {
    __atomic_store_n(&process->paused, paused, __ATOMIC_RELAXED);
    struct request request = {.on = !paused};
    fl_image_notes(gate_one, &request);
  }
  errno = saved;
}

FL_HIDDEN void firstlight_pause(void) { set_paused(true); }

FL_HIDDEN void firstlight_resume(void) { set_paused(false); }

FL_LOCAL int reset_one(const char *note, void *context) {
  struct fl_control *control = control_of(note);
  if (control != NULL && !control->reset()) note_failure(context);
  return 0;
}

FL_HIDDEN bool firstlight_reset(void) {
  struct request request = {0};
  fl_image_notes(reset_one, &request);
  if (request.failed) errno = request.error;
  return !request.failed;
}

FL_LOCAL int flush_one(const char *note, void *context) {
  struct fl_control *control = control_of(note);
  if (control != NULL && !control->flush()) note_failure(context);
  return 0;
}

FL_HIDDEN bool firstlight_flush(void) {
  struct request request = {0};
  fl_image_notes(flush_one, &request);
  if (request.failed) errno = request.error;
  return !request.failed;
}

FL_HIDDEN bool firstlight_is_recording(void) {
  // What lies where a file was cut short has no magic.
  return fl_here.recording == FL_ON &&
         __atomic_load_n(&fl_here.process->paused, __ATOMIC_RELAXED) == 0 &&
         fl_here.process->magic == FL_PROCESS_MAGIC &&
         fl_here.segments[fl_here.current]->magic == FL_SEGMENT_MAGIC;
}

FL_LOCAL void note_exit(void) { fl_control.state = EXITING; }

FL_HIDDEN void fl_control_started(void) {
  if (fl_control.state != UNKNOWN || !fl_image_is_executable(&fl_control)) return;
  // After this, exit runs the destructors of all images.
  if (atexit(note_exit) == 0) fl_control.state = RUNNING;
  fl_survive_truncation();
}

FL_LOCAL int find_state(const char *note, void *context) {
  struct fl_control *control = control_of(note);
  if (control != NULL && control->state != UNKNOWN) *(uint32_t *)context = control->state;
  return 0;
}

/// Runs after all other destructors of the image, when it is unloaded or the process exits. In an
/// exit other threads may still run, so only what is unloaded gives its memory back.
__attribute__((destructor(1))) FL_LOCAL void unload(void) {
  if (fl_here.recording == FL_OFF) return;
  uint32_t state = UNKNOWN;
  fl_image_notes(find_state, &state);
  if (state != RUNNING || fl_control.state != UNKNOWN) return;
  fl_here.recording = FL_OFF;
  int *gate = fl_here.gate;
  static int open_gate = FL_OPEN;
  fl_here.gate = &open_gate;  // for hooks that run even later
  if (fl_marks != NULL) fl_marks->unload();
  struct fl_segment_header *segment = fl_here.segments[fl_here.current];
  munmap(segment, fl_segment_size());
  munmap(fl_here.process, FL_HEADER_SIZE);
  munmap(gate, (size_t)sysconf(_SC_PAGESIZE));
}
