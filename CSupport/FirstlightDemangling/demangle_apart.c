#define _GNU_SOURCE
#include "firstlight_demangling.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
  MAX_DEATHS = 8,
  MAX_MICROSECONDS = 100 * 1000,  // for a name
  NAMES_A_SECOND = 20 * 1000,     // a tenth of the rate of ordinary names
};
static const size_t stack_size = (size_t)16 << 20;
static const size_t more_memory = (size_t)128 << 20;
static const size_t results_size = (size_t)64 << 20;

// The results of a child, in a mapping that it shares with its parent and that outlives it. Texts
// follow, each after its size; size 0 is a name without text.
struct results {
  bool is_whole;  // the child has finished
  size_t names;   // how many are done
  size_t used;    // bytes of `texts`
  char texts[];
};

struct work {
  const struct fl_mangled_name *names;
  size_t count;
  struct fl_demanglers demanglers;
  void *context;
  void (*take)(void *, size_t, const char *, size_t);
};

// Bytes of data that the process has already and that count against its limit: proc_pid_statm(5).
static size_t data_size(void) {
  char text[256];
  int file = open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
  if (file < 0) return 0;
  ssize_t size = read(file, text, sizeof text - 1);
  close(file);
  unsigned long pages = 0;
  if (size <= 0) return 0;
  text[size] = 0;
  if (sscanf(text, "%*u %*u %*u %*u %*u %lu", &pages) != 1) return 0;
  return pages * (size_t)sysconf(_SC_PAGESIZE);
}

// A name must have no effect outside: no core file, no message, no work that goes on.
static void confine(pid_t parent, rlim_t seconds) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(1);
  prctl(PR_SET_DUMPABLE, 0);
  struct rlimit data = {data_size() + more_memory, data_size() + more_memory};
  setrlimit(RLIMIT_DATA, &data);
  struct rlimit cpu = {seconds, seconds};
  setrlimit(RLIMIT_CPU, &cpu);
  int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
  if (nowhere >= 0) dup2(nowhere, STDERR_FILENO);
  // Only the timer ends it: signals of the terminal are for its parent.
  sigset_t signals;
  sigfillset(&signals);
  sigdelset(&signals, SIGPROF);
  signal(SIGPROF, SIG_DFL);
  sigprocmask(SIG_SETMASK, &signals, NULL);
}

static char *demangle(const struct fl_mangled_name *name, const struct fl_demanglers *demanglers) {
  if (strncmp(name->bytes, "_Z", 2) != 0)
    return demanglers->swift(name->bytes, name->count, NULL, NULL, 0);
  int status;
  return demanglers->cxx ? demanglers->cxx(name->bytes, NULL, NULL, &status) : NULL;
}

// Demangles names from `first` on until all are done or there is no room for another text.
static void run(const struct work *work, size_t first, struct results *results) {
  size_t room = results_size - sizeof *results - FL_LONGEST_TEXT - sizeof(size_t);
  for (size_t at = first; at < work->count && results->used <= room; at++) {
    struct itimerval limit = {.it_value = {.tv_usec = MAX_MICROSECONDS}};
    setitimer(ITIMER_PROF, &limit, NULL);
    char *text = demangle(&work->names[at], &work->demanglers);
    size_t size = text ? strlen(text) : 0;
    if (size > FL_LONGEST_TEXT) size = 0;
    memcpy(results->texts + results->used, &size, sizeof size);
    if (size > 0) memcpy(results->texts + results->used + sizeof size, text, size);
    free(text);
    results->used += sizeof size + size;
    results->names++;
  }
  results->is_whole = true;
}

// Passes on the results of a child; returns how many. They are untrusted: a name can have made the
// child write anything.
static size_t take_all(const struct work *work, size_t first, const struct results *results) {
  size_t room = results_size - sizeof *results;
  size_t used = 0;
  size_t at = 0;
  for (; at < results->names && at < work->count - first; at++) {
    size_t size;
    if (room - used < sizeof size) break;
    memcpy(&size, results->texts + used, sizeof size);
    used += sizeof size;
    if (size > room - used) break;
    if (size > 0) work->take(work->context, first + at, results->texts + used, size);
    used += size;
  }
  return at;
}

static void *demangle_here(void *argument) {
  const struct work *work = argument;
  for (size_t at = 0; at < work->count; at++) {
    char *text = demangle(&work->names[at], &work->demanglers);
    size_t size = text ? strlen(text) : 0;
    if (size > 0 && size <= FL_LONGEST_TEXT) work->take(work->context, at, text, size);
    free(text);
  }
  return NULL;
}

static rlim_t microseconds(struct timeval time) {
  return (rlim_t)time.tv_sec * 1000000 + (rlim_t)time.tv_usec;
}

static void *demangle_in_children(void *argument) {
  const struct work *work = argument;
  int deaths = 0;
  rlim_t seconds = 1 + work->count / NAMES_A_SECOND;
  rlim_t spent = 0;  // microseconds
  for (size_t first = 0; first < work->count && deaths < MAX_DEATHS && spent < seconds * 1000000;) {
    struct results *results = mmap(NULL, results_size, PROT_READ | PROT_WRITE,
                                   MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (results == MAP_FAILED) break;
    pid_t parent = getpid();
    pid_t child = fork();
    if (child == 0) {
      confine(parent, seconds);
      run(work, first, results);
      _exit(0);
    }
    if (child > 0) {
      // If SIGCHLD is ignored, an ended child cannot be waited for.
      struct rusage usage = {0};
      while (wait4(child, NULL, 0, &usage) < 0 && errno == EINTR) continue;
      spent += microseconds(usage.ru_utime) + microseconds(usage.ru_stime);
      first += take_all(work, first, results);
      if (!results->is_whole) {
        deaths++;
        first++;  // the name that ended it
      }
    }
    munmap(results, results_size);
    if (child < 0) break;
  }
  return NULL;
}

// Runs `body` in a thread with a large stack; a forked child uses that stack too. Returns false if
// there can be no thread.
static bool on_large_stack(void *(*body)(void *), struct work *work) {
  pthread_attr_t attributes;
  pthread_t thread;
  if (pthread_attr_init(&attributes) != 0) return false;
  pthread_attr_setstacksize(&attributes, stack_size);
  bool is_created = pthread_create(&thread, &attributes, body, work) == 0;
  if (is_created) pthread_join(thread, NULL);
  pthread_attr_destroy(&attributes);
  return is_created;
}

void fl_demangle_apart(const struct fl_mangled_name *names, size_t count,
                       struct fl_demanglers demanglers, void *context,
                       void (*take)(void *, size_t, const char *, size_t)) {
  struct work work = {names, count, demanglers, context, take};
  on_large_stack(demangle_in_children, &work);
}

void fl_demangle_here(const struct fl_mangled_name *names, size_t count,
                      struct fl_demanglers demanglers, void *context,
                      void (*take)(void *, size_t, const char *, size_t)) {
  struct work work = {names, count, demanglers, context, take};
  // A sandbox may allow one thread only. A name that overflows its stack ends the process, as its
  // caller expects.
  if (!on_large_stack(demangle_here, &work)) demangle_here(&work);
}
