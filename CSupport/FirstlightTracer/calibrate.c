// What a stop costs beside the time between its being seen and the thread's resumption: the way into
// the kernel, waking us, and waking the thread.
#define _GNU_SOURCE
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "arch.h"
#include "tracer.h"

/// Of one breakpoint: before it, seen, resumed, after it. Of one system call: `held` in its two stops.
struct stop_times {
  uint64_t before, seen, resumed, after;
  uint64_t held;
};

static _Noreturn void stop_often(struct stop_times *times, uint32_t count) {
  ptrace(PTRACE_TRACEME, 0, NULL, NULL);
  for (uint32_t i = 0; i < count; i++) {
    times[i].before = fl_now(CLOCK_MONOTONIC);
    fl_break();
    times[i].after = fl_now(CLOCK_MONOTONIC);
  }
  // From here on its system calls stop it: up to `count` of these.
  for (uint32_t i = count; i < 2 * count; i++) {
    times[i].before = fl_now(CLOCK_MONOTONIC);
    syscall(SYS_getppid);
    times[i].after = fl_now(CLOCK_MONOTONIC);
  }
  _exit(0);
}

static int compare(const void *a, const void *b) {
  uint64_t x = *(const uint64_t *)a;
  uint64_t y = *(const uint64_t *)b;
  return x < y ? -1 : x > y;
}

/// The lower quartile: on a busy machine half of the stops or more wait for a processor, and a cost put
/// too high takes the program's own time away.
static uint64_t usual(uint64_t *values, uint32_t count) {
  qsort(values, count, sizeof *values, compare);
  return count == 0 ? 0 : values[count / 4];
}

int fl_tracer_measure_stop(uint32_t count, struct fl_tracer_stop_cost *cost) {
  size_t size = 2 * count * sizeof(struct stop_times);
  struct stop_times *times =
      mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (times == MAP_FAILED) return errno;
  for (uint32_t i = 0; i < 2 * count; i++) times[i] = (struct stop_times){0};
  pid_t child = fork();
  if (child == 0) stop_often(times, count);
  int error = child < 0 ? errno : 0;
  sigset_t children;
  sigemptyset(&children);
  sigaddset(&children, SIGCHLD);
  uint32_t stops = 0, call_stops = 0;
  for (bool has_ended = child < 0; !has_ended;) {
    siginfo_t information;
    sigwaitinfo(&children, &information);
    int status;
    while (waitpid(child, &status, __WALL | WNOHANG) == child) {
      uint64_t seen = fl_now(CLOCK_MONOTONIC);
      if (!WIFSTOPPED(status)) {
        has_ended = true;
        break;
      }
      int signal = WSTOPSIG(status);
      if (signal == SIGTRAP && stops == 0)
        ptrace(PTRACE_SETOPTIONS, child, NULL, PTRACE_O_TRACESYSGOOD);
      if (signal == SIGTRAP && stops < count) {
        times[stops].seen = seen;
        times[stops++].resumed = fl_now(CLOCK_MONOTONIC);
      } else if (signal == (SIGTRAP | 0x80) && call_stops < 2 * count) {
        times[count + call_stops++ / 2].held += fl_now(CLOCK_MONOTONIC) - seen;
      }
      bool is_ours = signal == SIGTRAP || signal == (SIGTRAP | 0x80);
      bool is_at_calls = stops == count && call_stops < 2 * count;
      ptrace(is_at_calls ? PTRACE_SYSCALL : PTRACE_CONT, child, NULL,
             (void *)(long)(is_ours ? 0 : signal));
    }
  }
  uint64_t *values = malloc(count * sizeof *values);
  if (values == NULL) error = ENOMEM;
  if (stops < count && error == 0) error = EPERM;  // it could not be traced
  if (error == 0) {
    for (uint32_t i = 0; i < stops; i++) values[i] = times[i].seen - times[i].before;
    cost->before = usual(values, stops);
    for (uint32_t i = 0; i < stops; i++) values[i] = times[i].after - times[i].resumed;
    cost->after = usual(values, stops);
    for (uint32_t i = 0; i < count; i++) {
      const struct stop_times *call = &times[count + i];
      uint64_t taken = call->after - call->before;
      values[i] = taken > call->held ? (taken - call->held) / 2 : 0;
    }
    cost->system_call = usual(values, count);
  }
  free(values);
  munmap(times, size);
  return error;
}
