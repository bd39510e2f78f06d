// Keeps a program alive when somebody cuts a file of the runtime short, or its storage fails: the
// kernel then answers the next store with SIGBUS.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "report.h"
#include "here.h"

/// Skips at least one digit of this base. Null: there is none.
FL_LOCAL const char *skip_number(const char *text, bool hexadecimal) {
  const char *at = text;
  while ((*at >= '0' && *at <= '9') || (hexadecimal && *at >= 'a' && *at <= 'f')) at++;
  return at == text ? NULL : at;
}

/// Whether a path ends in a name that the runtime gives its files, complete or not: see
/// firstlight_abi.h. The kernel knows a process file by the first of its two names.
FL_LOCAL bool is_ours(const char *path) {
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

/// Puts memory in the place of a file of ours if this line of /proc/self/maps is of one and holds
/// the address.
FL_LOCAL bool replace(const char *line, uint64_t address) {
  const char *at = line;
  uint64_t start = parse_hexadecimal(&at);
  if (*at++ != '-') return false;
  uint64_t end = parse_hexadecimal(&at);
  if (address < start || address >= end || strncmp(at, " rw-s ", 6) != 0 || !is_ours(line))
    return false;
  return mmap((void *)start, end - start, PROT_READ | PROT_WRITE,
              MAP_FIXED | MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) != MAP_FAILED;
}

FL_LOCAL bool replace_mapping(uint64_t address) {
  int file = open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
  if (file < 0) return false;
  // Of each path only what comes after its last slash: signal stacks are small.
  char line[416], buffer[256];
  size_t size = 0, path = 0;
  ssize_t got;
  bool replaced = false;
  while (!replaced && (got = read(file, buffer, sizeof buffer)) > 0) {
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
  close(file);
  return replaced;
}

FL_LOCAL void on_bus_error(int signal, siginfo_t *info, void *context) {
  (void)context;
  int saved = errno;
  bool is_fault = info->si_code > 0;
  if (is_fault && replace_mapping((uint64_t)(uintptr_t)info->si_addr)) {
    static uint32_t said;
    // Relaxed: of all threads one says it.
    if (__atomic_exchange_n(&said, 1, __ATOMIC_RELAXED) == 0 &&
        !fl_report_line(
            NULL, "a file in FIRSTLIGHT_DIR was cut short; what comes now is not recorded", 0) &&
        fl_here.process != NULL)
      fl_report_notice(fl_here.process, FL_NOTICE_CUT, 0);
  } else {
    // None of ours: as if this handler were not there. A fault comes again on return.
    struct sigaction action = {.sa_handler = SIG_DFL};
    sigaction(signal, &action, NULL);
    if (!is_fault) raise(signal);
  }
  errno = saved;
}

static bool has_taken;

FL_LOCAL void take_bus_error(void) {
  struct sigaction before;
  if (sigaction(SIGBUS, NULL, &before) != 0 || before.sa_handler != SIG_DFL) return;
  struct sigaction action = {.sa_sigaction = on_bus_error, .sa_flags = SA_SIGINFO | SA_ONSTACK};
  sigemptyset(&action.sa_mask);
  has_taken = sigaction(SIGBUS, &action, NULL) == 0;
}

static bool is_wanted;
static bool is_loaded;  // the image's constructors have run, our own at least

FL_HIDDEN void fl_survive_truncation(void) {
  is_wanted = true;
  if (is_loaded) take_bus_error();
}

/// Without a priority, so after most others of the image: a crash reporter that takes signals where
/// nobody else has, as Swift's does, finds SIGBUS as it was.
__attribute__((constructor)) FL_LOCAL void loaded(void) {
  is_loaded = true;
  if (is_wanted) take_bus_error();
}

FL_HIDDEN bool fl_survive_no_more(void) {
  is_wanted = false;
  struct sigaction now;
  if (!has_taken || sigaction(SIGBUS, NULL, &now) != 0 || now.sa_sigaction != on_bus_error)
    return false;
  struct sigaction action = {.sa_handler = SIG_DFL};
  return sigaction(SIGBUS, &action, NULL) == 0;
}
