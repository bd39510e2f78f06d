// The structures that all parts of the tracer share: the tracer itself, and the threads it traces.
#ifndef FL_TRACER_TRACER_H
#define FL_TRACER_TRACER_H

#include <sched.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/resource.h>
#include <sys/types.h>

#include "include/firstlight_tracer.h"
#include "record.h"
#include "shadow_stack.h"
#include "space.h"

/// A traced thread.
struct fl_task {
  pid_t thread;
  pid_t process;
  struct fl_space *space;
  uint64_t mask;  // blocked signals at its last stop
  bool mask_known;
  bool is_entering;  // will stop at the first instruction of a signal handler
  bool is_unsettled;  // a new process whose memory is a copy with breakpoints; it has not run yet
  bool is_unannounced;  // it stopped before its creator announced it
  // As the host's flags ask for.
  struct fl_shadow_stack calls;
  uint64_t stepped;  // address of the breakpoint that is out while it does one instruction; 0: none
  bool is_loading;  // in the loader, and stops at system calls
  bool is_relocating;  // in the loader, after it has notified of new libraries
  struct fl_tracer_moment system_call;  // the current one
  uint64_t resumed;   // CLOCK_MONOTONIC when it was last resumed, ns
  int cpu_time_file;  // -1: not opened
  struct fl_tracer_cpu_time last_cpu_time;  // at its last stop
  struct fl_tracer_cpu_time cpu_time;  // between the stop before that and its last
  bool shares_tracer_cpu;  // is pinned to the tracer's CPU
  cpu_set_t affinity;  // from before it was pinned
  bool is_leaving;  // is let go when its stop is recorded
  struct fl_task *next;
};

/// A thread that has stopped before its creator's event has announced it.
struct fl_orphan {
  pid_t thread;
  int status;
  uint64_t seen;
  struct fl_orphan *next;
};

enum { FL_TASK_BUCKETS = 1024, FL_TRAPPED = 16 };

/// Written by the child right before its exec.
struct fl_request {
  uint64_t time;  // CLOCK_MONOTONIC, ns
  struct fl_tracer_cpu_time used;
};

struct fl_tracer {
  struct fl_tracer_host host;
  pid_t command;  // process id of the started program
  bool command_executed;  // its first exec is over
  bool has_ended;
  bool is_detaching;
  int ending;  // its wait status
  struct fl_task *tasks[FL_TASK_BUCKETS];
  uint32_t task_count;
  struct fl_orphan *orphans;
  pid_t trapped[FL_TRAPPED];  // the last traced processes that SIGTRAP killed, by their own doing
  uint32_t trapped_count;
  struct fl_space *departed;  // spaces without tasks: unannounced processes may be copies of them
  struct fl_records records;
  uint64_t seen;  // CLOCK_MONOTONIC when waitpid reported the current stop
  struct rlimit descriptors;  // the limit of open files, from before the tracer raised it
  bool raised_descriptors;
  volatile struct fl_request *request;  // a page shared with the child
  bool is_pinned;  // the tracer stays on one CPU
  cpu_set_t affinity;  // the tracer's, from before it was pinned
};

#endif
