// Makes and finds the process file. Runs in constructors and after a fork, never on the hook's
// path; uses system calls and plain memory only, because a forked child may be about to exec.
#define _GNU_SOURCE
#include "process.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "report.h"
#include "file.h"
#include "scratch.h"

static char directory[FL_DIRECTORY_MAX];
static bool start_paused;
static dev_t root_device;
static ino_t root_inode;

FL_LOCAL bool is_set(const char *name) {
  const char *value = getenv(name);
  return value != NULL && value[0] != '\0';
}

FL_HIDDEN bool fl_process_want(const char *wanted) {
  // A program that runs with more rights than its caller takes no orders from outside.
  if (getauxval(AT_SECURE) != 0) return false;
  size_t size = strlen(wanted);
  if (size >= sizeof directory || wanted[0] != '/') return false;
  fl_report_prepare();
  struct stat root;
  if (stat("/", &root) == 0) {
    root_device = root.st_dev;
    root_inode = root.st_ino;
  }
  memcpy(directory, wanted, size + 1);
  return true;
}

FL_HIDDEN const char *fl_process_directory(void) { return directory; }

FL_HIDDEN bool fl_process_wanted(void) {
  if (directory[0] != '\0') return true;
  if (getauxval(AT_SECURE) != 0 || !is_set("FIRSTLIGHT_DIR")) return false;
  start_paused = is_set("FIRSTLIGHT_PAUSED");
  if (fl_process_want(getenv("FIRSTLIGHT_DIR"))) return true;
  fl_report_prepare();
  (void)fl_report_line(NULL, "FIRSTLIGHT_DIR must be an absolute path; not recording", 0);
  return false;
}

FL_HIDDEN unsigned long long fl_clock(int clock) {
  struct timespec now;
  if (clock_gettime(clock, &now) != 0) return 0;
  return (unsigned long long)now.tv_sec * 1000000000ull + (unsigned long long)now.tv_nsec;
}

FL_HIDDEN size_t fl_process_read(const char *path, char *buffer, size_t size) {
  int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) return 0;
  size_t filled = 0;
  while (filled < size) {
    ssize_t got = read(file, buffer + filled, size - filled);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) break;
    filled += (size_t)got;
  }
  close(file);
  return filled;
}

/// Field 22 of /proc/self/stat. Counted from the last ")", since a program's name may hold
/// anything.
FL_LOCAL uint64_t start_time(struct fl_scratch *scratch) {
  char *text = scratch->text;
  size_t size = fl_process_read("/proc/self/stat", text, sizeof scratch->text - 1);
  text[size] = '\0';
  char *at = strrchr(text, ')');
  for (int field = 2; at != NULL && field < 22; field++) at = strchr(at + 1, ' ');
  return at == NULL ? 0 : strtoull(at, NULL, 10);
}

FL_LOCAL uint32_t pid_namespace(void) {
  struct stat status;
  return stat("/proc/self/ns/pid", &status) == 0 ? (uint32_t)status.st_ino : 0;
}

/// A digest of the 16 random bytes the kernel gives each exec, and of the pid namespace, as forked
/// children in namespaces of their own may have one pid: the same in all images of a process,
/// another after exec. One-way, since those bytes also guard the stack.
FL_LOCAL uint64_t exec_key(uint32_t namespace) {
  const unsigned char *bytes = (const unsigned char *)getauxval(AT_RANDOM);
  uint64_t hash = 0xcbf29ce484222325ull ^ namespace;
  for (int i = 0; bytes != NULL && i < 16; i++) {
    hash = (hash ^ bytes[i]) * 0x100000001b3ull;
    hash ^= hash >> 29;
  }
  hash = (hash ^ (hash >> 32)) * 0xd6e8feb86659fd93ull;
  return hash ^ (hash >> 32);
}

FL_LOCAL void fill(struct fl_process_header *header, const struct fl_process_id *id,
                   const struct fl_process_header *forked_from, struct fl_scratch *scratch) {
  struct fl_standard_error standard_error = fl_report_standard_error();
  header->magic = FL_PROCESS_MAGIC;
  header->version = FL_ABI_VERSION;
  header->header_size = FL_HEADER_SIZE;
  header->process = *id;
  header->parent_pid = (uint32_t)getppid();
  header->user = (uint32_t)geteuid();
  header->monotonic = fl_clock(CLOCK_MONOTONIC);
  header->realtime = fl_clock(CLOCK_REALTIME);
  header->paused = start_paused;
  header->stderr_device = standard_error.device;
  header->stderr_inode = standard_error.inode;
  if (forked_from != NULL) {
    header->paused = __atomic_load_n(&forked_from->paused, __ATOMIC_RELAXED);
    header->stderr_device = forked_from->stderr_device;
    header->stderr_inode = forked_from->stderr_inode;
    header->forked_from = forked_from->process;
    // The parent goes on counting; what it has counted by now is at least what it had at the fork.
    header->forked_at = __atomic_load_n(&forked_from->sequence, __ATOMIC_RELAXED);
  }
  ssize_t size = readlink("/proc/self/exe", header->path, FL_PATH_MAX);
  header->path_size = size > 0 ? (uint32_t)size : 0;
  header->path_truncated = size == FL_PATH_MAX;
  size_t command = fl_process_read("/proc/self/cmdline", scratch->text, FL_COMMAND_MAX + 1);
  header->command_truncated = command > FL_COMMAND_MAX;
  header->command_size = command > FL_COMMAND_MAX ? FL_COMMAND_MAX : (uint32_t)command;
  memcpy(header->command, scratch->text, header->command_size);
}

FL_HIDDEN bool fl_process_is_moved(void) {
  struct stat root;
  return stat("/", &root) != 0 || root.st_dev != root_device || root.st_ino != root_inode;
}

FL_LOCAL struct fl_process_header *open_process(const struct fl_process_header *forked_from,
                                                struct fl_scratch *scratch) {
  uint32_t namespace = pid_namespace();
  struct fl_process_id id = {
      .pid = (uint32_t)getpid(),
      .pid_namespace = namespace,
      .start = start_time(scratch),
      .key = exec_key(namespace),
  };
  fl_process_file_name(scratch->name, &id, ".process");
  struct fl_process_header *header = fl_file_map(scratch->name, FL_HEADER_SIZE);
  if (header != NULL || errno != ENOENT) return header;

  header = fl_file_make(scratch->temporary, &id, 0, FL_HEADER_SIZE);
  if (header == NULL) return NULL;
  fill(header, &id, forked_from, scratch);
  return fl_file_share(header, scratch->temporary, scratch->name, FL_HEADER_SIZE);
}

FL_HIDDEN struct fl_process_header *fl_process_open(const struct fl_process_header *forked_from) {
  struct fl_scratch *scratch = fl_scratch_take();
  if (scratch == NULL) return NULL;
  struct fl_process_header *header = open_process(forked_from, scratch);
  int error = errno;
  fl_scratch_give(scratch);
  errno = error;
  return header;
}
