// Uses only system calls and plain memory, since a forked child may be about to exec.
#define _GNU_SOURCE
#include "report.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "critical.h"
#include "libc.h"
#include "text.h"

static bool is_quiet;
static struct fl_standard_error at_start;

FL_HIDDEN void fl_report_prepare(void) {
  const char *quiet = getenv("FIRSTLIGHT_QUIET");
  is_quiet = quiet != NULL && quiet[0] != '\0';
  struct stat status;
  if (fstat(STDERR_FILENO, &status) == 0)
    at_start = (struct fl_standard_error){status.st_dev, status.st_ino};
}

FL_HIDDEN struct fl_standard_error fl_report_standard_error(void) { return at_start; }

FL_LOCAL bool is_that(const struct stat *status, struct fl_standard_error known) {
  return known.inode != 0 && status->st_dev == known.device && status->st_ino == known.inode;
}

/// Opens the same pipe or terminal again, in non-blocking mode. The program's descriptor stays
/// unchanged, since other processes may share it. Negative on failure, with errno.
FL_LOCAL int open_without_waiting(struct fl_standard_error known) {
  int file = open("/proc/self/fd/2", O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
  struct stat status;
  if (file < 0 || (fstat(file, &status) == 0 && is_that(&status, known))) return file;
  close(file);
  errno = EINVAL;
  return -1;
}

/// Returns the result of write.
FL_LOCAL ssize_t write_line(struct text line, struct fl_standard_error known) {
  struct stat status;
  if (fstat(STDERR_FILENO, &status) != 0 || !is_that(&status, known)) return -1;
  // A regular file does not block, and writing to it through a new descriptor would overwrite it.
  if (S_ISREG(status.st_mode)) return write(STDERR_FILENO, line.bytes, line.size);
  if (S_ISSOCK(status.st_mode))
    return send(STDERR_FILENO, line.bytes, line.size, MSG_DONTWAIT | MSG_NOSIGNAL);
  int file = open_without_waiting(known);
  if (file < 0) {
    // There is no reader, or another file now. Other errors mean that descriptors or permissions
    // are missing.
    if (errno == ENXIO || errno == EINVAL) return -1;
    // A system call, because musl has the function only since 1.2.5.
    struct iovec part = {line.bytes, line.size};
    return syscall(SYS_pwritev2, STDERR_FILENO, &part, 1, -1L, -1L, FL_WRITE_NOWAIT);
  }
  ssize_t written = write(file, line.bytes, line.size);
  close(file);
  return written;
}

/// Does the same in a critical section, and consumes the signals that it causes in this thread:
/// SIGPIPE without a reader, SIGXFSZ if a file may not grow.
FL_LOCAL bool write_without_signals(struct text line, struct fl_standard_error known) {
  struct fl_critical section;
  sigset_t ours, pending;
  sigemptyset(&ours);
  sigaddset(&ours, SIGPIPE);
  sigaddset(&ours, SIGXFSZ);
  // Signals that were already pending belong to the program.
  if (sigpending(&pending) != 0) return false;
  if (sigismember(&pending, SIGPIPE) == 1) sigdelset(&ours, SIGPIPE);
  if (sigismember(&pending, SIGXFSZ) == 1) sigdelset(&ours, SIGXFSZ);
  fl_critical_begin(&section);
  bool done = write_line(line, known) == (ssize_t)line.size;
  struct timespec at_once = {0, 0};
  if (!done)
    while (sigtimedwait(&ours, NULL, &at_once) > 0) continue;
  fl_critical_end(&section);
  return done;
}

// Missing in musl: only the number is written there.
extern const char *strerrordesc_np(int) __attribute__((weak));

FL_HIDDEN bool fl_report_line(const struct fl_process_header *process, const char *what,
                              int error) {
  if (is_quiet) return false;
  int saved = errno;
  char bytes[512];
  struct text line = {bytes, 0, sizeof bytes};
  append(&line, "firstlight: ");
  append(&line, what);
  if (error != 0) {
    append(&line, ": error ");
    append_number(&line, (uint64_t)error, 10, 1);
    const char *description = strerrordesc_np != NULL ? strerrordesc_np(error) : NULL;
    if (description != NULL) {
      append(&line, ", ");
      append(&line, description);
    }
  }
  append(&line, "\n");
  struct fl_standard_error known = at_start;
  if (process != NULL)
    known = (struct fl_standard_error){process->stderr_device, process->stderr_inode};
  bool written = write_without_signals(line, known);
  errno = saved;
  return written;
}

FL_HIDDEN void fl_report_missing(const char *directory, uint64_t key) {
  enum { MOST = 100 };  // a shorter name than sun_path has room for; readers take the same bytes
  int saved = errno;
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  size_t size = strlen(directory);
  size_t used = size < MOST ? size : MOST;
  memcpy(address.sun_path + 1, directory + size - used, used);
  int file = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (file >= 0) {
    sendto(file, &key, sizeof key, MSG_DONTWAIT | MSG_NOSIGNAL, (struct sockaddr *)&address,
           (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + used));
    close(file);
  }
  errno = saved;
}

FL_HIDDEN void fl_report_notice(struct fl_process_header *process, uint32_t notice, int error) {
  // Relaxed, since readers use each value on its own.
  __atomic_store_n(&process->notice_error, (uint32_t)error, __ATOMIC_RELAXED);
  __atomic_fetch_or(&process->notices, notice, __ATOMIC_RELAXED);
}

FL_HIDDEN void fl_report(struct fl_process_header *process, uint32_t notice, const char *what,
                         int error) {
  // Relaxed: only one of all threads and processes writes it.
  if (process != NULL && __atomic_exchange_n(&process->reported, 1, __ATOMIC_RELAXED) != 0) return;
  if (!fl_report_line(process, what, error) && process != NULL)
    fl_report_notice(process, notice, error);
}
