// Runs in constructors and after a fork, never on the hook's path. Uses only system calls and plain
// memory, since a forked child may be about to exec.
#define _GNU_SOURCE
#include "process.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "clock.h"
#include "environment.h"
#include "file.h"
#include "proc.h"
#include "report.h"
#include "scratch.h"
#include "text.h"
#include "thread.h"

FL_LOCAL uint32_t process_pid(void) {
  return (uint32_t)(fl_thread_is_borrowed() ? getppid() : getpid());
}

/// Field 22 of the process's stat, counted from the last ")", since the program's name may contain
/// any character.
FL_LOCAL uint64_t start_time(uint32_t pid, struct fl_scratch *scratch) {
  struct text path = {scratch->name, 0, sizeof scratch->name};
  append(&path, "/proc/");
  // A number works only if /proc belongs to the process's own pid namespace.
  if (pid == (uint32_t)getpid()) append(&path, "self");
  else append_number(&path, pid, 10, 1);
  append(&path, "/stat");
  char *text = scratch->text;
  size_t size = fl_proc_read(scratch->name, text, sizeof scratch->text - 1);
  text[size] = '\0';
  char *at = strrchr(text, ')');
  for (int field = 2; at != NULL && field < 22; field++) at = strchr(at + 1, ' ');
  return at == NULL ? 0 : read_number(at + 1);
}

FL_LOCAL uint32_t pid_namespace(void) {
  struct stat status;
  return stat("/proc/self/ns/pid", &status) == 0 ? (uint32_t)status.st_ino : 0;
}

FL_HIDDEN uint64_t fl_process_key(uint32_t namespace) {
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
  bool is_borrowed = id->pid != (uint32_t)getpid();
  header->parent_pid = is_borrowed ? 0 : (uint32_t)getppid();
  header->user = (uint32_t)geteuid();
  header->monotonic = fl_clock(CLOCK_MONOTONIC);
  header->realtime = fl_clock(CLOCK_REALTIME);
  header->paused = fl_environment_starts_paused();
  header->stderr_device = standard_error.device;
  header->stderr_inode = standard_error.inode;
  if (forked_from != NULL) {
    header->paused = __atomic_load_n(&forked_from->paused, __ATOMIC_RELAXED);
    header->stderr_device = forked_from->stderr_device;
    header->stderr_inode = forked_from->stderr_inode;
    header->forked_from = forked_from->process;
    if (is_borrowed) header->parent_pid = forked_from->process.pid;
    // The parent continues counting, so this may exceed its count at the fork.
    header->forked_at = __atomic_load_n(&forked_from->sequence, __ATOMIC_RELAXED);
  }
  ssize_t size = readlink("/proc/self/exe", header->path, FL_PATH_MAX);
  header->path_size = size > 0 ? (uint32_t)size : 0;
  header->path_truncated = size == FL_PATH_MAX;
  size_t command = fl_proc_read("/proc/self/cmdline", scratch->text, FL_COMMAND_MAX + 1);
  header->command_truncated = command > FL_COMMAND_MAX;
  header->command_size = command > FL_COMMAND_MAX ? FL_COMMAND_MAX : (uint32_t)command;
  memcpy(header->command, scratch->text, header->command_size);
}

FL_LOCAL struct fl_process_header *open_process(const struct fl_process_header *forked_from,
                                                struct fl_scratch *scratch) {
  uint32_t namespace = pid_namespace(), pid = process_pid();
  struct fl_process_id id = {
      .pid = pid,
      .pid_namespace = namespace,
      .start = start_time(pid, scratch),
      .key = fl_process_key(namespace),
  };
  fl_process_file_name(scratch->name, &id, ".process");
  struct fl_process_header *header = fl_file_map(scratch->name, FL_HEADER_SIZE);
  if (header != NULL || errno != ENOENT) return header;

  header = fl_file_create(scratch->temporary, &id, 0, FL_HEADER_SIZE);
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
