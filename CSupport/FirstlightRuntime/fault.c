#define _GNU_SOURCE
#include "fault.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "image_state.h"
#include "report.h"

/// Skips the digits of a number in this base. Null if there are none.
FL_LOCAL const char *skip_number(const char *text, bool hexadecimal) {
  const char *at = text;
  while ((*at >= '0' && *at <= '9') || (hexadecimal && *at >= 'a' && *at <= 'f')) at++;
  return at == text ? NULL : at;
}

/// Whether a path ends in the final or temporary name of one of the runtime's files: see
/// firstlight_abi.h. The kernel reports a process file by the first of its two names.
FL_LOCAL bool is_runtime_file(const char *path) {
  const char *name = strrchr(path, '/');
  if (name == NULL) return false;
  const char *at = skip_number(name[1] == '.' ? name + 2 : name + 1, false);
  if (at == NULL || *at++ != '-' || (at = skip_number(at, false)) == NULL || *at++ != '-')
    return false;
  const char *key = at;
  return (at = skip_number(at, true)) != NULL && at - key == 16 && (*at == '-' || *at == '.');
}

FL_LOCAL uint64_t parse_hexadecimal(const char **text) {
  uint64_t number = 0;
  for (;; (*text)++) {
    char c = **text;
    if (c >= '0' && c <= '9') number = number << 4 | (uint64_t)(c - '0');
    else if (c >= 'a' && c <= 'f') number = number << 4 | (uint64_t)(c - 'a' + 10);
    else return number;
  }
}

/// Replaces a mapping by anonymous memory, if this line of /proc/self/maps belongs to a runtime
/// file and contains the address.
FL_LOCAL bool replace(const char *line, uint64_t address) {
  const char *at = line;
  uint64_t start = parse_hexadecimal(&at);
  if (*at++ != '-') return false;
  uint64_t end = parse_hexadecimal(&at);
  if (address < start || address >= end || strncmp(at, " rw-s ", 6) != 0 || !is_runtime_file(line))
    return false;
  return syscall(SYS_mmap, start, end - start, PROT_READ | PROT_WRITE,
                 MAP_FIXED | MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) != -1;
}

/// Uses system calls: functions of the program may replace libc's, and their guards would write to
/// the same file; a second SIGBUS would be fatal. Nor are system calls cancellation points.
FL_LOCAL bool replace_mapping(uint64_t address) {
  int file = (int)syscall(SYS_openat, AT_FDCWD, "/proc/self/maps", O_RDONLY | O_CLOEXEC);
  if (file < 0) return false;
  // Keeps only the last component of each path: signal stacks are small.
  char line[416], buffer[256];
  size_t size = 0, path = 0;
  ssize_t got;
  bool replaced = false;
  while (!replaced && (got = syscall(SYS_read, file, buffer, sizeof buffer)) > 0) {
    for (ssize_t i = 0; i < got && !replaced; i++) {
      if (buffer[i] == '/') {
        if (path == 0) path = size;
        size = path;
      }
      if (buffer[i] != '\n') {
        if (size + 1 < sizeof line) line[size++] = buffer[i];
        continue;
      }
      line[size] = '\0';
      size = path = 0;
      replaced = replace(line, address);
    }
  }
  syscall(SYS_close, file);
  return replaced;
}

FL_LOCAL void on_bus_error(int signal, siginfo_t *info, void *context) {
  (void)context;
  int saved = errno;
  bool is_fault = info->si_code > 0;
  if (is_fault && replace_mapping((uint64_t)(uintptr_t)info->si_addr)) {
    static uint32_t reported;
    // Relaxed: only one of all threads reports it.
    if (__atomic_exchange_n(&reported, 1, __ATOMIC_RELAXED) == 0 &&
        !fl_report_line(
            NULL, "a file in FIRSTLIGHT_DIR was truncated; later calls are not recorded", 0) &&
        fl_image_state.process != NULL)
      fl_report_notice(fl_image_state.process, FL_NOTICE_CUT, 0);
  } else {
    // Not a runtime file: the default action. A fault is raised again on return.
    struct sigaction action = {.sa_handler = SIG_DFL};
    sigaction(signal, &action, NULL);
    if (!is_fault) raise(signal);
  }
  errno = saved;
}

static bool is_installed;

FL_LOCAL void install(void) {
  struct sigaction before;
  if (sigaction(SIGBUS, NULL, &before) != 0 || before.sa_handler != SIG_DFL) return;
  // Functions called by the handler may have guards, and write to another truncated file.
  struct sigaction action = {.sa_sigaction = on_bus_error,
                             .sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER};
  sigemptyset(&action.sa_mask);
  is_installed = sigaction(SIGBUS, &action, NULL) == 0;
}

static bool is_wanted;
static bool is_loaded;  // this file's constructor has run

FL_HIDDEN void fl_fault_handle(void) {
  is_wanted = true;
  if (is_loaded) install();
}

/// Without a priority, so that it runs after most of the image's other constructors: a crash
/// reporter such as Swift's, which handles signals that have the default action, finds SIGBUS
/// unchanged.
__attribute__((constructor)) FL_LOCAL void loaded(void) {
  is_loaded = true;
  if (is_wanted) install();
}

FL_HIDDEN bool fl_fault_stop_handling(void) {
  is_wanted = false;
  struct sigaction now;
  if (!is_installed || sigaction(SIGBUS, NULL, &now) != 0 || now.sa_sigaction != on_bus_error)
    return false;
  struct sigaction action = {.sa_handler = SIG_DFL};
  return sigaction(SIGBUS, &action, NULL) == 0;
}
