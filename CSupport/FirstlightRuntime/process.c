// Makes and finds the process file. Runs in constructors and after a fork, never on the hook's path;
// uses system calls and plain memory only, because a forked child may be about to exec.
#define _GNU_SOURCE
#include "process.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

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

/// Text under construction; what does not fit is left out. stdio is not safe in a forked child.
struct text {
  char *bytes;
  size_t size, capacity;
};

FL_LOCAL void append(struct text *text, const char *more) {
  while (*more != '\0' && text->size + 1 < text->capacity) text->bytes[text->size++] = *more++;
  text->bytes[text->size] = '\0';
}

FL_LOCAL void append_number(struct text *text, uint64_t number, unsigned base, int width) {
  char digits[24];
  int at = sizeof digits;
  digits[--at] = '\0';
  do {
    digits[--at] = "0123456789abcdef"[number % base];
    number /= base;
    width--;
  } while (number != 0 || width > 0);
  append(text, digits + at);
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

/// "DIR/PREFIX<pid>-<start>-<key>SUFFIX"
FL_LOCAL struct text file_name(char *name, const char *prefix, const struct fl_process_id *id) {
  struct text text = {name, 0, FL_FILE_MAX};
  append(&text, directory);
  append(&text, "/");
  append(&text, prefix);
  append_number(&text, id->pid, 10, 1);
  append(&text, "-");
  append_number(&text, id->start, 10, 1);
  append(&text, "-");
  append_number(&text, id->key, 16, 16);
  return text;
}

FL_HIDDEN void fl_process_file_name(char *name, const struct fl_process_id *id,
                                    const char *suffix) {
  struct text text = file_name(name, "", id);
  append(&text, suffix);
}

FL_HIDDEN void fl_segment_file_name(char *name, const struct fl_process_id *id, unsigned number) {
  struct text text = file_name(name, "", id);
  append(&text, "-");
  append_number(&text, number, 10, 1);
  append(&text, ".segment");
}

/// Whether a file of this size may be made at all: going past RLIMIT_FSIZE would send SIGXFSZ.
FL_LOCAL bool size_allowed(unsigned long size) {
  struct rlimit limit;
  return getrlimit(RLIMIT_FSIZE, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY ||
         size <= limit.rlim_cur;
}

FL_HIDDEN void *fl_file_make(char *temporary, const struct fl_process_id *id, unsigned number,
                             unsigned long size) {
  if (!size_allowed(size)) {
    errno = EFBIG;
    return NULL;
  }
  // The thread id keeps apart two threads that load two images at once.
  struct text text = file_name(temporary, ".", id);
  append(&text, "-");
  append_number(&text, number, 10, 1);
  append(&text, "-");
  append_number(&text, (uint64_t)syscall(SYS_gettid), 10, 1);
  int file = open(temporary, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
  if (file < 0) return NULL;
  int error = posix_fallocate(file, 0, (off_t)size);
  void *memory = MAP_FAILED;
  if (error == 0) {
    memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (memory == MAP_FAILED) error = errno;
  }
  close(file);
  if (error != 0) {
    unlink(temporary);
    errno = error;
    return NULL;
  }
  return memory;
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

/// Maps a process file that another image of this process has made.
FL_LOCAL struct fl_process_header *map_existing(const char *name) {
  int file = open(name, O_RDWR | O_NOFOLLOW | O_CLOEXEC);
  if (file < 0) return NULL;
  struct stat status;
  void *memory = MAP_FAILED;
  if (fstat(file, &status) != 0 || status.st_size < (off_t)FL_HEADER_SIZE ||
      status.st_uid != geteuid())
    errno = EINVAL;
  else
    memory = mmap(NULL, FL_HEADER_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  int error = errno;
  close(file);
  errno = error;
  return memory == MAP_FAILED ? NULL : memory;
}

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
  struct fl_process_header *header = map_existing(name);
  if (header != NULL || errno != ENOENT) return header;

  char temporary[FL_FILE_MAX];
  header = fl_file_make(temporary, &id, 0, FL_HEADER_SIZE);
  if (header == NULL) return NULL;
  fill(header, &id, forked_from);
  // link, not rename: of two images that race to make it, the second must find the first's.
  // Where there are no hard links, rename has to do.
  if (link(temporary, name) != 0 && (errno != EPERM || rename(temporary, name) != 0)) {
    int error = errno;
    munmap(header, FL_HEADER_SIZE);
    header = NULL;
    if (error == EEXIST)
      header = map_existing(name);
    else
      errno = error;
  }
  int error = errno;
  unlink(temporary);
  errno = error;
  return header;
}
