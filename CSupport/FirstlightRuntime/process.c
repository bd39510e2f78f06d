// Makes and finds the process file. Runs in constructors and after a fork, never on the hook's path;
// uses system calls and plain memory only, because a forked child may be about to exec.
#define _GNU_SOURCE
#include "process.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "file.h"
#include "text.h"

static char directory[FL_DIRECTORY_MAX];
static bool quiet;
static bool start_paused;

FL_LOCAL bool is_set(const char *name) {
  const char *value = getenv(name);
  return value != NULL && value[0] != '\0';
}

FL_HIDDEN bool fl_process_want(const char *wanted) {
  // A program that runs with more rights than its caller takes no orders from outside.
  if (getauxval(AT_SECURE) != 0) return false;
  size_t size = strlen(wanted);
  if (size >= sizeof directory || wanted[0] != '/') return false;
  quiet = is_set("FIRSTLIGHT_QUIET");
  memcpy(directory, wanted, size + 1);
  return true;
}

FL_HIDDEN const char *fl_process_directory(void) { return directory; }

FL_HIDDEN bool fl_process_wanted(void) {
  if (directory[0] != '\0') return true;
  if (getauxval(AT_SECURE) != 0 || !is_set("FIRSTLIGHT_DIR")) return false;
  start_paused = is_set("FIRSTLIGHT_PAUSED");
  if (fl_process_want(getenv("FIRSTLIGHT_DIR"))) return true;
  quiet = is_set("FIRSTLIGHT_QUIET");
  fl_complain(NULL, "FIRSTLIGHT_DIR must be an absolute path; not recording", 0);
  return false;
}

// Not in every libc that runs Swift; the number must do there.
extern const char *strerrordesc_np(int) __attribute__((weak));

FL_HIDDEN void fl_complain(uint32_t *said, const char *what, int error) {
  if (quiet || (said != NULL && __atomic_exchange_n(said, 1, __ATOMIC_RELAXED) != 0)) return;
  int saved = errno;
  char line[512];
  struct text text = {line, 0, sizeof line};
  append(&text, "firstlight: ");
  append(&text, what);
  if (error != 0) {
    append(&text, ": error ");
    append_number(&text, (uint64_t)error, 10, 1);
    const char *description = strerrordesc_np != NULL ? strerrordesc_np(error) : NULL;
    if (description != NULL) {
      append(&text, ", ");
      append(&text, description);
    }
  }
  append(&text, "\n");
  if (write(STDERR_FILENO, line, text.size) < 0) {
    // Nowhere left to say it.
  }
  errno = saved;
}

FL_HIDDEN unsigned long long fl_clock(int clock) {
  struct timespec now;
  if (clock_gettime(clock, &now) != 0) return 0;
  return (unsigned long long)now.tv_sec * 1000000000ull + (unsigned long long)now.tv_nsec;
}

/// Reads at most `size` bytes of a small file. Returns how many, 0 if it cannot be read.
FL_LOCAL size_t read_file(const char *path, char *buffer, size_t size) {
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

/// Field 22 of /proc/self/stat. Counted from the last ")", since a program's name may hold anything.
FL_LOCAL uint64_t start_time(void) {
  char text[1024];
  size_t size = read_file("/proc/self/stat", text, sizeof text - 1);
  text[size] = '\0';
  char *at = strrchr(text, ')');
  for (int field = 2; at != NULL && field < 22; field++) at = strchr(at + 1, ' ');
  return at == NULL ? 0 : strtoull(at, NULL, 10);
}

FL_LOCAL uint32_t pid_namespace(void) {
  struct stat status;
  return stat("/proc/self/ns/pid", &status) == 0 ? (uint32_t)status.st_ino : 0;
}

/// A digest of the 16 random bytes the kernel gives each exec: the same in all images of a process,
/// another after exec. One-way, since those bytes also guard the stack.
FL_LOCAL uint64_t exec_key(void) {
  const unsigned char *bytes = (const unsigned char *)getauxval(AT_RANDOM);
  uint64_t hash = 0xcbf29ce484222325ull;
  for (int i = 0; bytes != NULL && i < 16; i++) {
    hash = (hash ^ bytes[i]) * 0x100000001b3ull;
    hash ^= hash >> 29;
  }
  hash = (hash ^ (hash >> 32)) * 0xd6e8feb86659fd93ull;
  return hash ^ (hash >> 32);
}

FL_LOCAL void fill(struct fl_process_header *header, const struct fl_process_id *id,
                   const struct fl_process_header *forked_from) {
  header->magic = FL_PROCESS_MAGIC;
  header->version = FL_ABI_VERSION;
  header->header_size = FL_HEADER_SIZE;
  header->process = *id;
  header->parent_pid = (uint32_t)getppid();
  header->user = (uint32_t)geteuid();
  header->monotonic = fl_clock(CLOCK_MONOTONIC);
  header->realtime = fl_clock(CLOCK_REALTIME);
  header->paused = start_paused;
  if (forked_from != NULL) {
    header->paused = __atomic_load_n(&forked_from->paused, __ATOMIC_RELAXED);
    header->forked_from = forked_from->process;
    // The parent goes on counting; what it has counted by now is at least what it had at the fork.
    header->forked_at = __atomic_load_n(&forked_from->sequence, __ATOMIC_RELAXED);
  }
  ssize_t size = readlink("/proc/self/exe", header->path, FL_PATH_MAX);
  header->path_size = size > 0 ? (uint32_t)size : 0;
  header->path_truncated = size == FL_PATH_MAX;
  char probe[FL_COMMAND_MAX + 1];
  size_t command = read_file("/proc/self/cmdline", probe, sizeof probe);
  header->command_truncated = command > FL_COMMAND_MAX;
  header->command_size = command > FL_COMMAND_MAX ? FL_COMMAND_MAX : (uint32_t)command;
  memcpy(header->command, probe, header->command_size);
}

FL_HIDDEN bool fl_process_is_confined(void) { return prctl(PR_GET_SECCOMP, 0, 0, 0, 0) != 0; }

static dev_t root_device;
static ino_t root_inode;

FL_HIDDEN bool fl_process_is_moved(void) {
  struct stat root;
  return stat("/", &root) != 0 || root.st_dev != root_device || root.st_ino != root_inode;
}

FL_HIDDEN struct fl_process_header *fl_process_open(const struct fl_process_header *forked_from) {
  struct fl_process_id id = {
      .pid = (uint32_t)getpid(),
      .pid_namespace = pid_namespace(),
      .start = start_time(),
      .key = exec_key(),
  };
  struct stat root;
  if (forked_from == NULL && stat("/", &root) == 0) {
    root_device = root.st_dev;
    root_inode = root.st_ino;
  }
  char name[FL_FILE_MAX];
  fl_process_file_name(name, &id, ".process");
  struct fl_process_header *header = fl_file_map(name, FL_HEADER_SIZE);
  if (header != NULL || errno != ENOENT) return header;

  char temporary[FL_FILE_MAX];
  header = fl_file_make(temporary, &id, 0, FL_HEADER_SIZE);
  if (header == NULL) return NULL;
  fill(header, &id, forked_from);
  return fl_file_share(header, temporary, name, FL_HEADER_SIZE);
}
