// This image's copy in the sight of the others: its table, and how it comes and goes.
#define _GNU_SOURCE
#include "control.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "confine.h"
#include "environment.h"
#include "here.h"
#include "image.h"
#include "marks.h"

enum { UNPUBLISHED = 0, VERSION = 2 };
// Whether exit was called; UNKNOWN where nobody looks.
enum { UNKNOWN, RUNNING, EXITING };

const struct fl_marks *fl_marks;

// Made by the compiler in each object with gated guards, and by the linker one of them.
extern uint64_t __sancov_should_track __attribute__((weak, visibility("hidden")));

/// Puts the compiler's gate where guards are built with one: calls of the hook or none.
FL_LOCAL void gate_hooks(bool on) {
  if (fl_here.guards != NULL && &__sancov_should_track != NULL)
    __atomic_store_n(&__sancov_should_track, on, __ATOMIC_RELAXED);
}

/// Opens the gate unless the process is paused.
FL_LOCAL void gate_as_paused(void) {
  bool is_on = fl_here.recording == FL_ON &&
               __atomic_load_n(&fl_here.process->paused, __ATOMIC_RELAXED) == 0;
  gate_hooks(is_on);
}

FL_LOCAL bool start_here(const char *directory) {
  if (fl_here.recording == FL_ON) return true;
  if (!fl_environment_set_directory(directory)) {
    errno = EINVAL;
    return fl_here.guards == NULL;
  }
  if (fl_marks != NULL) fl_marks->wake();
  if (!fl_segment_start()) return false;
  gate_as_paused();
  return true;
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
  return fl_here.recording == FL_ON ? fl_environment_directory() : NULL;
}

FL_LOCAL void pause_here(bool paused) {
  struct fl_process_header *process = process_here();
  if (process == NULL) return;
  // Relaxed: hooks see it soon, and it publishes nothing.
  __atomic_store_n(&process->paused, paused, __ATOMIC_RELAXED);
  gate_hooks(!paused);
}

__attribute__((visibility("hidden"), used)) struct fl_control fl_control = {
    UNPUBLISHED,
    0,
    UNKNOWN,
    0,
    start_here,
    pause_here,
    reset_here,
    flush_here,
    process_here,
    directory_here,
    fl_survive_truncation,
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

/// The copy that a note belongs to; null if it is not published, or of another version.
FL_LOCAL struct fl_control *control_of(const char *note) {
  int64_t distance;
  memcpy(&distance, note, sizeof distance);
  struct fl_control *control = (struct fl_control *)(note + distance);
  // Acquire pairs with the release store in publish(): who sees the version sees relocated pointers
  // and an image that is set up.
  return __atomic_load_n(&control->version, __ATOMIC_ACQUIRE) == VERSION ? control : NULL;
}

struct walk {
  bool (*visit)(struct fl_control *control, void *context);
  void *context;
};

FL_LOCAL int visit_note(const char *note, void *context) {
  const struct walk *walk = context;
  struct fl_control *control = control_of(note);
  return control != NULL && walk->visit(control, walk->context);
}

FL_HIDDEN void fl_control_visit(bool (*visit)(struct fl_control *control, void *context),
                                void *context) {
  struct walk walk = {visit, context};
  fl_image_notes(visit_note, &walk);
}

FL_LOCAL bool find_said(struct fl_control *control, void *context) {
  bool *said = context;
  *said = *said || control->said != 0;
  return *said;
}

FL_HIDDEN bool fl_control_may_say(void) {
  bool said = fl_control.said != 0;
  fl_control_visit(find_said, &said);
  fl_control.said = 1;
  return !said;
}

FL_LOCAL bool find_directory(struct fl_control *control, void *context) {
  const char **directory = context;
  *directory = control->directory();
  return *directory != NULL;
}

/// Runs while the loader's lock is held, as do all visits of other copies: so an image is either
/// published, and visited, or takes over here what it has missed.
FL_LOCAL void publish(void) {
  const char *directory = NULL;
  if (fl_environment_directory()[0] == '\0') fl_control_visit(find_directory, &directory);
  if (directory != NULL) start_here(directory);
  gate_as_paused();
  // Pairs with the acquire load in control_of().
  __atomic_store_n(&fl_control.version, VERSION, __ATOMIC_RELEASE);
}

/// Runs after the constructors that set up guards and marks, and before the program's own.
__attribute__((constructor(3))) FL_LOCAL void load(void) {
  int saved = errno;
  fl_image_alone(publish);
  errno = saved;
}

FL_LOCAL bool share_process(struct fl_control *control, void *context) {
  struct fl_process_header *process = control->process();
  if (process == NULL) return false;
  // From no bytes of a shared mapping: a second mapping of the same pages.
  void *shared = mremap(process, 0, FL_HEADER_SIZE, MREMAP_MAYMOVE);
  if (shared == MAP_FAILED) return false;
  *(struct fl_process_header **)context = shared;
  return true;
}

FL_HIDDEN struct fl_process_header *fl_control_share_process(void) {
  struct fl_process_header *shared = NULL;
  fl_control_visit(share_process, &shared);
  return shared;
}

FL_LOCAL void note_exit(void) { fl_control.state = EXITING; }

FL_HIDDEN void fl_control_started(void) {
  if (fl_control.state != UNKNOWN || !fl_image_is_executable(&fl_control)) return;
  // After this, exit runs the destructors of all images.
  if (atexit(note_exit) == 0) fl_control.state = RUNNING;
}

FL_LOCAL bool survive_one(struct fl_control *control, void *context) {
  if (control != context) control->survive();
  return false;
}

FL_LOCAL bool find_state(struct fl_control *control, void *context) {
  uint32_t *state = context;
  *state = control->state;
  return *state != UNKNOWN;
}

/// Takes the image from the others' sight if it is being unloaded, as opposed to an exit. Runs
/// while the loader's lock is held, so nobody visits it.
FL_LOCAL void withdraw(void) {
  if (fl_control.state != UNKNOWN) return;
  uint32_t state = UNKNOWN;
  fl_control_visit(find_state, &state);
  // Another image has to see to SIGBUS from now on. Not in what may be the exit of a confined
  // process: to hand it over takes system calls.
  bool is_unloaded = state == RUNNING || (state == UNKNOWN && !fl_confine_is_possible());
  if (is_unloaded && fl_survive_no_more()) fl_control_visit(survive_one, &fl_control);
  // Relaxed: whoever would visit it takes the same lock.
  if (state == RUNNING) __atomic_store_n(&fl_control.version, UNPUBLISHED, __ATOMIC_RELAXED);
}

/// Runs after all other destructors of the image, when it is unloaded or the process exits. In an
/// exit other threads may still run, so only what is unloaded gives its memory back.
__attribute__((destructor(1))) FL_LOCAL void unload(void) {
  fl_image_alone(withdraw);
  if (fl_here.recording == FL_OFF || fl_control.version != UNPUBLISHED) return;
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
