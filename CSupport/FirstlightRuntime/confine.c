#define _GNU_SOURCE
#include "confine.h"

#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "image.h"
#include "proc.h"
#include "scratch.h"
#include "text.h"

// Weak, so that the runtime alone does not cause prctl to be linked or bound.
extern int prctl(int, ...) __attribute__((weak));

static bool is_watching;
static bool is_possible;
static bool is_free;

/// Read from /proc/self/status. Before Linux 5.9 the kernel does not count filters: 0.
struct seccomp {
  uint64_t mode, filters;
};
static struct seccomp at_start;

FL_LOCAL uint64_t field_of(const char *status, const char *name) {
  const char *at = strstr(status, name);
  return at == NULL ? 0 : read_number(at + strlen(name));
}

/// Reads a file instead of calling prctl, since the runtime must open files anyway.
FL_LOCAL struct seccomp read_seccomp(void) {
  struct fl_scratch *scratch = fl_scratch_take();
  if (scratch == NULL) return (struct seccomp){0, 0};
  char *text = scratch->text;
  size_t size = fl_proc_read("/proc/self/status", text, sizeof scratch->text - 1);
  text[size] = '\0';
  struct seccomp found = {field_of(text, "\nSeccomp:\t"), field_of(text, "\nSeccomp_filters:\t")};
  fl_scratch_give(scratch);
  return found;
}

FL_HIDDEN bool fl_confine_is_possible(void) { return is_possible; }

FL_HIDDEN bool fl_confine_forbids(void) {
  if (is_possible && !is_free) return true;
  // After an unconfined start, prctl is called first: a later filter more likely denies files.
  return at_start.mode == 0 && syscall(SYS_prctl, PR_GET_SECCOMP, 0, 0, 0, 0) > 0;
}

FL_HIDDEN bool fl_confine_has_changed(void) {
  if (at_start.mode == 0) return false;
  struct seccomp now = read_seccomp();
  return now.mode != at_start.mode || now.filters != at_start.filters;
}

FL_HIDDEN void fl_confine_while_free(void (*work)(void)) {
  is_free = true;
  work();
  is_free = false;
}

FL_LOCAL void look_for_prctl(void) {
  if (is_possible || prctl == NULL) return;
  // prctl is in the executable if it is linked statically, or belongs to a sanitizer.
  is_possible = fl_image_is_executable((const void *)prctl) || fl_image_any_binds("prctl");
}

FL_HIDDEN void fl_confine_look_again(void) {
  if (is_watching) look_for_prctl();
}

FL_HIDDEN void fl_confine_watch(void) {
  if (is_watching) return;
  is_watching = true;
  at_start = read_seccomp();
  look_for_prctl();
}
