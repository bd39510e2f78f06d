// The structures that all parts of the tracer share: the tracer and its threads.
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
  bool is_entering;  // will stop at the first instruction of a signal handler
  bool is_unsettled;  // a new process that has not run; its memory is a copy with breakpoints
  bool is_unannounced;  // stopped before its creator announced it
  bool is_ending;  // counted in its space's `ending`
  bool is_within_vfork;  // stays in the kernel until its child has executed a program or ended
  bool is_interrupted;  // asked to stop, to write the breakpoints of a process that ran
  // Present if the host's flags ask for them.
  struct fl_shadow_stack calls;
  uint64_t stepped;  // address of the breakpoint removed for one instruction; 0: none
  bool is_loading;  // in the loader; stops at system calls
  bool is_relocating;  // in the loader, after its notification of new libraries
  struct fl_tracer_moment system_call;  // the current one
  uint64_t resumed;   // CLOCK_MONOTONIC when it was last resumed, ns
  bool shares_tracer_cpu;  // pinned to the tracer's CPU
  cpu_set_t affinity;  // the affinity before pinning
  bool is_leaving;  // detached as soon as its stop is recorded
  struct fl_task *next;
};

/// A thread that has stopped before its creator's event announced it.
struct fl_orphan {
  pid_t thread;
  int status;
  uint64_t seen;
  struct fl_orphan *next;
};

enum { FL_TASK_BUCKETS = 1024, FL_TRAPPED = 16 };

/// Written by the child just before its exec.
struct fl_request {
  uint64_t time;  // CLOCK_MONOTONIC, ns
  uint64_t ran;  // CPU time, ns
};

struct fl_tracer {
  struct fl_tracer_host host;
  pid_t command;  // process id of the started program
  bool command_executed;  // the first exec has ended
  bool has_ended;
  bool is_detaching;
  bool is_attached;  // the programs are not ours: none is killed with the tracer
  int ending;  // wait status of the program
  int stopped_by;  // the signal that stopped the program since the host asked; 0: none
  struct fl_task *tasks[FL_TASK_BUCKETS];
  uint32_t task_count;
  struct fl_orphan *orphans;
  pid_t trapped[FL_TRAPPED];  // the last traced processes killed by a SIGTRAP of their own
  uint32_t trapped_count;
  struct fl_space *departed;  // spaces without tasks, which unannounced processes may have copied
  struct fl_records records;
  struct fl_tracer_cost cost;
  uint32_t slice;  // functions of each file from this one on have no breakpoints yet
  uint64_t seen;  // CLOCK_MONOTONIC when waitpid reported the current stop
  struct rlimit descriptors;  // the limit of open files before the tracer raised it
  bool raised_descriptors;
  volatile struct fl_request *request;  // a page shared with the child
  bool is_pinned;  // the tracer stays on one CPU
  cpu_set_t affinity;  // the tracer's affinity before pinning
};

#endif
