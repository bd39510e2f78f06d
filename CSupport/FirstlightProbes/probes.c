#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "bpf.h"
#include "include/firstlight_probes.h"

struct fl_probes {
  char *path;
  int file;
  pid_t process;
  uint64_t *offsets;
  uint64_t *chosen, *numbers;  // of the functions to watch, made anew for each link
  uint32_t count;
  int call_map, hit_map, program;
  int start_map, start_program, start_link;  // -1: starts are not watched
  struct fl_probe_start *starts;
  int *links;  // of each group; -1: nothing is watched
  uint32_t groups;
  struct fl_probe_call *calls;
  uint64_t *hits;
  size_t call_bytes;
  uint64_t longest;  // CPU time to make a link, ns
};

static void *map_array(int map, size_t bytes) {
  void *memory = mmap(NULL, bytes, PROT_READ, MAP_SHARED, map, 0);
  return memory == MAP_FAILED ? NULL : memory;
}

static int prepare(struct fl_probes *probes) {
  uint32_t count = probes->count;
  probes->call_map = fl_bpf_array(sizeof *probes->calls, count);
  if (probes->call_map < 0) return errno;
  probes->hit_map = fl_bpf_array(sizeof *probes->hits, FL_HITS_COUNT);
  if (probes->hit_map < 0) return errno;
  long page = sysconf(_SC_PAGESIZE);
  probes->call_bytes = (count * sizeof *probes->calls + (size_t)page - 1) & ~((size_t)page - 1);
  probes->calls = map_array(probes->call_map, probes->call_bytes);
  probes->hits = map_array(probes->hit_map, (size_t)page);
  if (probes->calls == NULL || probes->hits == NULL) return ENOMEM;
  probes->program = fl_bpf_program(probes->call_map, probes->hit_map);
  return probes->program < 0 ? errno : 0;
}

struct fl_probes *fl_probes_make(const char *path, pid_t process, const uint64_t *offsets,
                                 uint32_t count, uint32_t groups) {
  struct fl_probes *probes = calloc(1, sizeof *probes);
  if (probes == NULL) return NULL;
  probes->call_map = probes->hit_map = probes->program = -1;
  probes->start_map = probes->start_program = probes->start_link = -1;
  probes->file = open(path, O_RDONLY | O_CLOEXEC);
  probes->count = count;
  probes->process = process;
  probes->path = strdup(path);
  probes->offsets = malloc(count * sizeof *offsets);
  probes->chosen = malloc(count * sizeof *offsets);
  probes->numbers = malloc(count * sizeof *offsets);
  probes->links = malloc(groups * sizeof *probes->links);
  if (probes->links != NULL) probes->groups = groups;
  for (uint32_t i = 0; i < probes->groups; i++) probes->links[i] = -1;
  int error = ENOMEM;
  if (probes->links != NULL && probes->path != NULL && probes->offsets != NULL &&
      probes->chosen != NULL && probes->numbers != NULL) {
    memcpy(probes->offsets, offsets, count * sizeof *offsets);
    error = prepare(probes);
  }
  if (error == 0) return probes;
  fl_probes_free(probes);
  errno = error;
  return NULL;
}

static pthread_mutex_t closing_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t closing_ended = PTHREAD_COND_INITIALIZER;
static unsigned closing;  // number of links that are being closed

static void *close_link(void *link) {
  close((int)(intptr_t)link);
  pthread_mutex_lock(&closing_lock);
  closing--;
  pthread_cond_broadcast(&closing_ended);
  pthread_mutex_unlock(&closing_lock);
  return NULL;
}

/// Waits until all links are closed. If the process ended first, the kernel would leave probes in
/// the code (Linux 6.18: "failed to unregister, leaking uprobe").
void fl_probes_settle(void) {
  pthread_mutex_lock(&closing_lock);
  while (closing > 0) pthread_cond_wait(&closing_ended, &closing_lock);
  pthread_mutex_unlock(&closing_lock);
}

static void settle_at_exit(void) { atexit(fl_probes_settle); }

/// Closes a link on a thread of its own. The kernel takes the probes out at once, and then waits
/// some hundredths of a second until no thread can be in them. That must not delay other links.
static void close_aside(int link) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, settle_at_exit);
  pthread_attr_t attributes;
  pthread_t thread;
  pthread_attr_init(&attributes);
  pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
  pthread_attr_setstacksize(&attributes, PTHREAD_STACK_MIN);
  pthread_mutex_lock(&closing_lock);
  closing++;
  pthread_mutex_unlock(&closing_lock);
  if (pthread_create(&thread, &attributes, close_link, (void *)(intptr_t)link) != 0)
    close_link((void *)(intptr_t)link);
  pthread_attr_destroy(&attributes);
}

static uint64_t cpu_time(void) {
  struct timespec time;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

/// A private mapping of the chosen functions' code, or MAP_FAILED.
static void *map_code(const struct fl_probes *probes, uint32_t count, size_t *size) {
  uint64_t first = probes->chosen[0];
  uint64_t last = first;
  for (uint32_t i = 1; i < count; i++) {
    if (probes->chosen[i] < first) first = probes->chosen[i];
    if (probes->chosen[i] > last) last = probes->chosen[i];
  }
  first -= first % (uint64_t)sysconf(_SC_PAGESIZE);
  *size = (size_t)(last - first + 1);
  return mmap(NULL, *size, PROT_READ, MAP_PRIVATE, probes->file, (off_t)first);
}

/// Makes a link; -1 with errno.
///
/// The kernel examines an instruction only when it plants a probe in a process, and accepts any
/// before. So that it refuses a function now and not when a process comes, this process maps the
/// code meanwhile (`examined`).
static int make_link(struct fl_probes *probes, const uint32_t *functions, uint32_t count,
                     bool examined) {
  for (uint32_t i = 0; i < count; i++) {
    probes->chosen[i] = probes->offsets[functions[i]];
    probes->numbers[i] = functions[i];
  }
  size_t size = 0;
  void *code = examined ? map_code(probes, count, &size) : MAP_FAILED;
  uint64_t began = cpu_time();
  int link = fl_bpf_link(probes->program, probes->path, (uint32_t)probes->process, probes->chosen,
                         probes->numbers, count);
  int error = errno;
  uint64_t took = cpu_time() - began;
  if (link >= 0 && took > probes->longest) probes->longest = took;
  if (code != MAP_FAILED) munmap(code, size);
  errno = error;
  return link;
}

int fl_probes_watch(struct fl_probes *probes, uint32_t group, const uint32_t *functions,
                    uint32_t count) {
  int link = -1;
  if (count > 0) {
    link = make_link(probes, functions, count, probes->links[group] < 0);
    if (link < 0) return errno;
  }
  // The new link comes first, so that a function watched by both is watched throughout.
  if (probes->links[group] >= 0) close_aside(probes->links[group]);
  probes->links[group] = link;
  return 0;
}

int fl_probes_test(struct fl_probes *probes, const uint32_t *functions, uint32_t count) {
  int link = make_link(probes, functions, count, true);
  if (link < 0) return errno;
  close_aside(link);
  return 0;
}

int fl_probes_watch_starts(struct fl_probes *probes, uint64_t offset) {
  probes->start_map = fl_bpf_array(sizeof *probes->starts, FL_PROBE_STARTS);
  if (probes->start_map < 0) return errno;
  probes->starts = map_array(probes->start_map, FL_PROBE_STARTS * sizeof *probes->starts);
  if (probes->starts == NULL) return ENOMEM;
  probes->start_program = fl_bpf_start_program(probes->start_map, probes->hit_map);
  if (probes->start_program < 0) return errno;
  uint64_t number = 0;
  probes->start_link = fl_bpf_link(probes->start_program, probes->path, (uint32_t)probes->process,
                                   &offset, &number, 1);
  return probes->start_link < 0 ? errno : 0;
}

uint64_t fl_probes_start_count(const struct fl_probes *probes) {
  return __atomic_load_n(&probes->hits[FL_HITS_STARTS], __ATOMIC_ACQUIRE);
}

const volatile struct fl_probe_start *fl_probes_starts(const struct fl_probes *probes) {
  return probes->starts;
}

const volatile struct fl_probe_call *fl_probes_calls(const struct fl_probes *probes) {
  return probes->calls;
}

uint64_t fl_probes_hits(const struct fl_probes *probes) {
  return __atomic_load_n(probes->hits, __ATOMIC_RELAXED);
}

uint64_t fl_probes_longest(const struct fl_probes *probes) { return probes->longest; }

void fl_probes_free(struct fl_probes *probes) {
  if (probes == NULL) return;
  // The links first: only they affect other processes.
  for (uint32_t i = 0; i < probes->groups; i++)
    if (probes->links[i] >= 0) close(probes->links[i]);
  if (probes->start_link >= 0) close(probes->start_link);
  fl_probes_settle();
  int files[] = {probes->program, probes->call_map,      probes->hit_map,
                 probes->file,    probes->start_program, probes->start_map};
  for (unsigned i = 0; i < sizeof files / sizeof *files; i++)
    if (files[i] >= 0) close(files[i]);
  if (probes->calls != NULL) munmap(probes->calls, probes->call_bytes);
  if (probes->starts != NULL) munmap(probes->starts, FL_PROBE_STARTS * sizeof *probes->starts);
  if (probes->hits != NULL) munmap(probes->hits, (size_t)sysconf(_SC_PAGESIZE));
  free(probes->path);
  free(probes->offsets);
  free(probes->chosen);
  free(probes->numbers);
  free(probes->links);
  free(probes);
}
