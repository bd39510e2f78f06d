// Publishes this image to its peers and withdraws it, and handles their requests.
#define _GNU_SOURCE
#include <errno.h>

#include "confine.h"
#include "environment.h"
#include "fault.h"
#include "fork.h"
#include "gate.h"
#include "image.h"
#include "image_state.h"
#include "marks.h"
#include "peers.h"
#include "recording.h"
#include "segment.h"
#include "unloading.h"

// The compiler defines it as hidden in each object with gated guards, and the linker keeps one
// definition. This declaration is not hidden: GNU's gold would then give the symbol an address even
// if no object defines it.
extern uint64_t __sancov_should_track __attribute__((weak));

/// Sets the compiler's gate, if guards were built with one: whether functions call the hook.
FL_LOCAL void gate_hooks(bool on) {
  if (&__sancov_should_track != NULL)
    __atomic_store_n(&__sancov_should_track, on, __ATOMIC_RELAXED);
}

/// Opens the compiler's gate unless the process is paused.
FL_LOCAL void gate_hooks_as_paused(void) {
  bool is_on = fl_image_state.recording == FL_ON &&
               __atomic_load_n(&fl_image_state.process->paused, __ATOMIC_RELAXED) == 0;
  gate_hooks(is_on);
}

/// Starts to watch for filters of system calls and for the program's exit. To be called once this
/// process is recorded.
FL_LOCAL void watch(void) {
  fl_confine_watch();
  fl_unloading_watch();
}

FL_LOCAL bool start_image(const char *directory) {
  if (fl_image_state.recording == FL_ON) return true;
  if (!fl_environment_set_directory(directory)) {
    errno = EINVAL;
    return fl_image_state.guard_count == 0;
  }
  if (fl_image_state.marks != NULL) fl_image_state.marks->start();
  if (!fl_recording_start()) return false;
  watch();
  gate_hooks_as_paused();
  return true;
}

FL_LOCAL struct fl_process_header *process_of_image(void) {
  // An image without guards has a process file only after it reported readiness or set a mark.
  return fl_image_state.gate != NULL && fl_recording_pass() == FL_OPEN ? fl_image_state.process
                                                                       : NULL;
}

FL_LOCAL void files_of_image(fl_take_file *take, void *context) {
  struct fl_process_header *process = process_of_image();
  if (process != NULL) take(process, FL_HEADER_SIZE, context);
  if (process != NULL && fl_image_state.recording == FL_ON)
    take(fl_image_state.segment, fl_segment_size(), context);
  void *marks = fl_image_state.marks == NULL ? NULL : fl_image_state.marks->file();
  if (marks != NULL) take(marks, FL_MARKS_SIZE, context);
}

FL_LOCAL const char *directory_of_image(void) {
  return fl_image_state.recording == FL_ON ? fl_environment_directory() : NULL;
}

FL_LOCAL void pause_image(bool paused) {
  struct fl_process_header *process = process_of_image();
  if (process == NULL) return;
  // Relaxed, since hooks see it soon, and it publishes no other data.
  __atomic_store_n(&process->paused, paused, __ATOMIC_RELAXED);
  gate_hooks(!paused);
}

__attribute__((visibility("hidden"), used)) struct fl_control fl_control = {
    .version = FL_CONTROL_UNPUBLISHED,
    .start = start_image,
    .pause = pause_image,
    .files = files_of_image,
    .process = process_of_image,
    .directory = directory_of_image,
    .handle_faults = fl_fault_handle,
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

FL_LOCAL bool find_directory(struct fl_control *control, void *context) {
  const char **directory = context;
  *directory = control->directory();
  return *directory != NULL;
}

/// Runs with the loader's lock, like visits: an image is either published before a visit and
/// visited, or reads here what the visit has changed.
FL_LOCAL void publish(void) {
  const char *directory = NULL;
  if (fl_environment_directory()[0] == '\0') fl_peers_visit(find_directory, &directory);
  if (directory != NULL) start_image(directory);
  gate_hooks_as_paused();
  fl_peers_publish();
}

FL_LOCAL bool is_other_executable(struct fl_control *control, void *context) {
  return control != context && fl_image_is_executable(control);
}

/// A library that a running program loads, in a process that is not recorded, gets no fork
/// handlers: it may be unloaded while another thread forks, and libc does not wait for that thread.
FL_LOCAL bool needs_fork_handlers(void) {
  return fl_environment_directory()[0] != '\0' || !fl_peers_visit(is_other_executable, &fl_control);
}

/// Runs after the constructors that set up guards and marks, and before the program's own.
__attribute__((constructor(3))) FL_LOCAL void load(void) {
  int saved = errno;
  fl_image_alone(publish);
  if (fl_environment_wants_recording()) watch();
  if (needs_fork_handlers()) fl_fork_handle();
  errno = saved;
}

FL_LOCAL bool handle_faults_in_other(struct fl_control *control, void *context) {
  if (control != context) control->handle_faults();
  return false;
}

/// Hides the image from its peers. Runs with the loader's lock, so it is not being visited.
FL_LOCAL void withdraw(void) {
  // From now on another image must handle SIGBUS.
  if (fl_fault_stop_handling()) fl_peers_visit(handle_faults_in_other, &fl_control);
  // Relaxed, since visitors hold the same lock.
  __atomic_store_n(&fl_control.version, FL_CONTROL_UNPUBLISHED, __ATOMIC_RELAXED);
}

/// Runs after all other destructors of the image, at unloading or exit. At exit other threads may
/// still run, so everything stays as it is.
__attribute__((destructor(1))) FL_LOCAL void unload(void) {
  int saved = errno;
  fl_fork_leave();
  if (fl_unloading_has_begun()) {
    fl_image_alone(withdraw);
    if (fl_image_state.gate != NULL) fl_recording_end();
    if (fl_image_state.marks != NULL) fl_image_state.marks->unload();
  }
  errno = saved;
}
