// Reads the environment once, before the program's own code runs.
#define _GNU_SOURCE
#include "environment.h"

#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/stat.h>

#include "report.h"

static char directory[FL_DIRECTORY_MAX];
static bool starts_paused;
static bool is_watched;
static dev_t root_device;
static ino_t root_inode;

FL_LOCAL bool is_set(const char *name) {
  const char *value = getenv(name);
  return value != NULL && value[0] != '\0';
}

FL_HIDDEN bool fl_environment_set_directory(const char *path) {
  // A program with more privileges than its caller must not write to the caller's path.
  if (getauxval(AT_SECURE) != 0) return false;
  size_t size = strlen(path);
  if (size >= sizeof directory || path[0] != '/') return false;
  fl_report_prepare();
  struct stat root;
  if (stat("/", &root) == 0) {
    root_device = root.st_dev;
    root_inode = root.st_ino;
  }
  memcpy(directory, path, size + 1);
  return true;
}

FL_HIDDEN const char *fl_environment_directory(void) { return directory; }

FL_HIDDEN bool fl_environment_starts_paused(void) { return starts_paused; }

FL_HIDDEN bool fl_environment_is_watched(void) { return is_watched; }

FL_HIDDEN bool fl_environment_wants_recording(void) {
  static bool is_refused;
  if (directory[0] != '\0') return true;
  if (is_refused || getauxval(AT_SECURE) != 0 || !is_set("FIRSTLIGHT_DIR")) return false;
  starts_paused = is_set("FIRSTLIGHT_PAUSED");
  is_watched = is_set("FIRSTLIGHT_WATCHED");
  if (fl_environment_set_directory(getenv("FIRSTLIGHT_DIR"))) return true;
  is_refused = true;
  fl_report_prepare();
  (void)fl_report_line(NULL, "FIRSTLIGHT_DIR must be an absolute path; not recording", 0);
  return false;
}

FL_HIDDEN bool fl_environment_root_has_changed(void) {
  struct stat root;
  return stat("/", &root) != 0 || root.st_dev != root_device || root.st_ino != root_inode;
}
