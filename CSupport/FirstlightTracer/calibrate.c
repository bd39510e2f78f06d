// The cost of a stop besides the time between its being seen and the thread's resumption: entering
// the kernel, waking the tracer, waking the thread, and the caches that it finds cold.
//
// A child does what loaders do, in rounds of three kinds: undisturbed, with a breakpoint at each
// step, with a stop at each system call. The stops cost what the other two kinds take more than the
// first.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

#include "arch.h"
#include "cpu.h"
#include "cpu_time.h"
#include "record.h"

enum {
  STEPS = 6,  // of a round, each with one system call
  PAGES = 16,  // mapped and touched in a round
  PAUSES = 24,  // breakpoints after a pause, in which the tracer's CPU becomes idle
  PAUSE = 500000,  // ns
  PAGE = 4096,
};

enum kind { ALONE, BREAKPOINTS, SYSTEM_CALLS, KINDS };

/// One stop at a breakpoint, by the clocks of child and tracer.
struct stop_times {
  uint64_t before, seen, resumed, after;
};

struct round {
  uint64_t start, end;  // by the child's clock
  uint64_t held;  // by the tracer, in all stops
  struct fl_tracer_cpu_time cpu_time;  // with the breakpoint at its end
  struct stop_times stops[STEPS];
};

/// Shared with the child.
struct work {
  volatile uint32_t round, step;  // the current ones
  volatile uint32_t kind;
  volatile bool is_mark;  // the next breakpoint is the end of a round
  volatile bool is_paused;  // or follows a pause
  struct stop_times pauses[PAUSES];
  struct round rounds[];
};

static void stop_at(struct stop_times *times) {
  times->before = fl_now(CLOCK_MONOTONIC);
  fl_break();
  times->after = fl_now(CLOCK_MONOTONIC);
}

static void end_step(struct work *work, struct round *round) {
  if (work->kind == BREAKPOINTS) stop_at(&round->stops[work->step]);
  work->step++;
}

static void do_round(struct work *work, struct round *round) {
  work->step = 0;
  round->start = fl_now(CLOCK_MONOTONIC);
  int file = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
  end_step(work, round);
  char head[832];
  (void)!pread(file, head, sizeof head, 0);
  end_step(work, round);
  char *pages = mmap(NULL, PAGES * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE, file, 0);
  end_step(work, round);
  for (int i = 0; pages != MAP_FAILED && i < PAGES; i++) ((volatile char *)pages)[i * PAGE]++;
  mprotect(pages, PAGE, PROT_READ);
  end_step(work, round);
  close(file);
  end_step(work, round);
  munmap(pages, PAGES * PAGE);
  end_step(work, round);
  round->end = fl_now(CLOCK_MONOTONIC);
}

static _Noreturn void stop_often(struct work *work, uint32_t rounds) {
  // Untraced, a breakpoint would be a crash, for which the host's handler would print a long
  // report.
  if (ptrace(PTRACE_TRACEME, 0, NULL, NULL) != 0) _exit(1);
  for (uint32_t i = 0; i < rounds; i++) {
    work->round = i;
    work->kind = i % KINDS;
    work->is_mark = true;
    fl_break();
    work->is_mark = false;
    do_round(work, &work->rounds[i]);
  }
  work->round = rounds;
  work->is_mark = true;
  fl_break();
  work->is_mark = false;
  work->is_paused = true;
  for (work->step = 0; work->step < PAUSES; work->step++) {
    uint64_t start = fl_now(CLOCK_MONOTONIC);
    while (fl_now(CLOCK_MONOTONIC) - start < PAUSE) continue;
    stop_at(&work->pauses[work->step]);
  }
  _exit(0);
}

static int compare(const void *a, const void *b) {
  uint64_t x = *(const uint64_t *)a;
  uint64_t y = *(const uint64_t *)b;
  return x < y ? -1 : x > y;
}

/// The lower quartile: on a busy machine half of the stops or more wait for a CPU, and a cost that
/// is too high would be subtracted from the program's own time.
static uint64_t lower_quartile(uint64_t *values, uint32_t count) {
  qsort(values, count, sizeof *values, compare);
  return count == 0 ? 0 : values[count / 4];
}

static uint64_t excess(uint64_t a, uint64_t b) { return a > b ? a - b : 0; }

/// The median CPU time of rounds of a kind. 0: not known.
static uint64_t median_cpu_time(const struct work *work, uint32_t rounds, enum kind kind,
                                uint64_t *values) {
  uint32_t count = 0;
  for (uint32_t i = kind; i < rounds; i += KINDS)
    if (work->rounds[i].cpu_time.timeslices == 1) values[count++] = work->rounds[i].cpu_time.ran;
  qsort(values, count, sizeof *values, compare);
  return count < rounds / KINDS / 4 ? 0 : values[count / 2];
}

/// The lower quartile of their time, without stops.
static uint64_t quartile_time(const struct work *work, uint32_t rounds, enum kind kind,
                              uint64_t *values) {
  uint32_t count = 0;
  for (uint32_t i = kind; i < rounds; i += KINDS) {
    const struct round *round = &work->rounds[i];
    values[count++] = excess(round->end - round->start, round->held);
  }
  return lower_quartile(values, count);
}

static void summarize(const struct work *work, uint32_t rounds, uint64_t *values,
                      struct fl_tracer_stop_cost *cost) {
  uint32_t count = 0;
  for (uint32_t i = BREAKPOINTS; i < rounds; i += KINDS)
    for (int j = 0; j < STEPS; j++)
      values[count++] = work->rounds[i].stops[j].seen - work->rounds[i].stops[j].before;
  cost->before = lower_quartile(values, count);
  count = 0;
  for (uint32_t i = BREAKPOINTS; i < rounds; i += KINDS)
    for (int j = 0; j < STEPS; j++)
      values[count++] = work->rounds[i].stops[j].after - work->rounds[i].stops[j].resumed;
  cost->after = lower_quartile(values, count);
  for (uint32_t i = 0; i < PAUSES; i++) values[i] = work->pauses[i].seen - work->pauses[i].before;
  cost->waking = lower_quartile(values, PAUSES);
  uint64_t alone = quartile_time(work, rounds, ALONE, values);
  cost->system_call =
      excess(quartile_time(work, rounds, SYSTEM_CALLS, values), alone) / (2 * STEPS);
  uint64_t ran_alone = median_cpu_time(work, rounds, ALONE, values);
  uint64_t ran_stopped = median_cpu_time(work, rounds, BREAKPOINTS, values);
  uint64_t ran_calling = median_cpu_time(work, rounds, SYSTEM_CALLS, values);
  if (ran_alone == 0) return;
  cost->running = excess(ran_stopped, ran_alone) / STEPS;
  cost->system_call_running = excess(ran_calling, ran_alone) / (2 * STEPS);
}

/// The tracer's side of the measurement.
struct follower {
  struct work *work;
  uint32_t rounds;
  pid_t child;
  int cpu_time_file;
  struct fl_tracer_cpu_time last;
  uint32_t timeslices;  // since the round began
  bool is_whole;  // all rounds were seen
  bool is_calling;  // the round stops at system calls
};

/// The breakpoint at the end of a round.
static void end_round(struct follower *follower, struct fl_tracer_cpu_time now) {
  struct work *work = follower->work;
  uint32_t round = work->round;
  if (round == 0) ptrace(PTRACE_SETOPTIONS, follower->child, NULL, PTRACE_O_TRACESYSGOOD);
  follower->last.timeslices += follower->last.timeslices > 0 ? follower->timeslices - 1 : 0;
  if (round > 0) work->rounds[round - 1].cpu_time = fl_cpu_time_between(follower->last, now);
  follower->last = now;
  follower->timeslices = 0;
  follower->is_whole = round == follower->rounds;
  follower->is_calling = round < follower->rounds && work->kind == SYSTEM_CALLS;
}

/// Handles a stop of the child.
static void follow_stop(struct follower *follower, int signal, uint64_t seen) {
  struct work *work = follower->work;
  bool is_call = signal == (SIGTRAP | 0x80);
  bool is_ours = signal == SIGTRAP || is_call;
  struct round *round = work->round < follower->rounds ? &work->rounds[work->round] : NULL;
  struct stop_times *stop = NULL;
  unsigned long ignored;
  // As the tracer does at each of its stops.
  ptrace(PTRACE_GETEVENTMSG, follower->child, NULL, &ignored);
  struct fl_tracer_cpu_time now = fl_cpu_time_read(follower->cpu_time_file);
  follower->timeslices++;
  if (is_ours && !is_call && work->is_mark) {
    end_round(follower, now);
  } else if (is_ours && work->is_paused) {
    stop = &work->pauses[work->step];
  } else if (is_ours && round != NULL) {
    if (!is_call) stop = &round->stops[work->step];
    round->held += fl_now(CLOCK_MONOTONIC) - seen;
  }
  if (is_ours && !is_call) fl_break_pass(follower->child);
  if (stop != NULL) stop->seen = seen;
  if (stop != NULL) stop->resumed = fl_now(CLOCK_MONOTONIC);
  ptrace(follower->is_calling ? PTRACE_SYSCALL : PTRACE_CONT, follower->child, NULL,
         (void *)(long)(is_ours ? 0 : signal));
}

/// Follows the child to its end. Returns whether all its rounds were seen.
static bool follow(pid_t child, struct work *work, uint32_t rounds) {
  struct follower follower = {.work = work,
                              .rounds = rounds,
                              .child = child,
                              .cpu_time_file = fl_cpu_time_open(child, child)};
  sigset_t children;
  sigemptyset(&children);
  sigaddset(&children, SIGCHLD);
  for (;;) {
    siginfo_t information;
    sigwaitinfo(&children, &information);
    int status;
    while (waitpid(child, &status, __WALL | WNOHANG) == child) {
      if (WIFSTOPPED(status)) {
        follow_stop(&follower, WSTOPSIG(status), fl_now(CLOCK_MONOTONIC));
        continue;
      }
      if (follower.cpu_time_file >= 0) close(follower.cpu_time_file);
      return follower.is_whole;
    }
  }
}

int fl_tracer_measure_stop(uint32_t count, bool shares_tracer_cpu,
                           struct fl_tracer_stop_cost *cost) {
  *cost = (struct fl_tracer_stop_cost){0};
  uint32_t rounds = KINDS * count;
  size_t size = sizeof(struct work) + rounds * sizeof(struct round);
  struct work *work = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (work == MAP_FAILED) return errno;
  uint64_t *values = malloc((rounds * STEPS + PAUSES) * sizeof *values);
  cpu_set_t before;
  bool is_pinned = fl_cpu_pin(&before);  // and the child with us
  pid_t child = values == NULL ? -1 : fork();
  if (child == 0) {
    if (is_pinned && !shares_tracer_cpu) fl_cpu_avoid(&before);
    stop_often(work, rounds);
  }
  int error = child < 0 ? errno : 0;
  if (error == 0 && !follow(child, work, rounds)) error = EPERM;  // the child could not be traced
  if (is_pinned) fl_cpu_unpin(&before);
  if (error == 0) summarize(work, rounds, values, cost);
  free(values);
  munmap(work, size);
  return error;
}
