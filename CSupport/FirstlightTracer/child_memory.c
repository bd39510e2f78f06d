// A process may make itself undumpable (PR_SET_DUMPABLE, a change of its user), for example to
// protect passwords. Then only a tracer with CAP_SYS_PTRACE may access its memory, apart from
// memory that was opened before. Its children are undumpable from the start. So the tracer makes
// such a child dumpable, by a system call on its behalf, until its memory is opened.
#define _GNU_SOURCE
#include "child_memory.h"

#include <dirent.h>
#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <linux/kcmp.h>

#include "memory.h"
#include "plant.h"
#include "process_file.h"
#include "resume.h"
#include "tasks.h"

void fl_child_end_note(struct fl_tracer *tracer, const struct fl_task *parent) {
  siginfo_t end;
  if (!fl_space_is_watched(parent->space) ||
      ptrace(PTRACE_GETSIGINFO, parent->thread, NULL, &end) != 0 ||
      (end.si_code != CLD_KILLED && end.si_code != CLD_DUMPED) || end.si_status != SIGTRAP)
    return;
  for (uint32_t i = 0; i < FL_TRAPPED; i++)
    if (tracer->trapped[i] == end.si_pid) return;
  fl_report_unrecorded(tracer, parent->space, 0, false);
}

/// Whether the flags of a system call that creates a thread or process ask for shared memory.
static bool asks_for_shared_memory(const struct fl_task *creator, int event) {
  struct user_regs_struct registers;
  long number;
  uint64_t first;
  if (!fl_registers_get(creator->thread, &registers)) return event != PTRACE_EVENT_FORK;
  fl_registers_current_call(&registers, &number, &first);
  switch (number) {
    case SYS_clone: return (first & CLONE_VM) != 0;
    case SYS_clone3: {
      uint64_t flags;  // the first field of struct clone_args
      return fl_memory_read(creator->space->memory, first, &flags, sizeof flags)
                 ? (flags & CLONE_VM) != 0
                 : event != PTRACE_EVENT_FORK;
    }
    default: return event != PTRACE_EVENT_FORK;
  }
}

bool fl_memory_is_shared(const struct fl_task *creator, pid_t thread, int event) {
  long order = syscall(SYS_kcmp, creator->thread, thread, KCMP_VM, 0, 0);
  return order >= 0 ? order == 0 : asks_for_shared_memory(creator, event);
}

pid_t fl_memory_user(pid_t process) {
  DIR *folder = opendir("/proc");
  if (folder == NULL) return 0;
  pid_t user = 0;
  const struct dirent *entry;
  while (user == 0 && (entry = readdir(folder)) != NULL) {
    pid_t other = atoi(entry->d_name);
    if (other > 0 && other != process && syscall(SYS_kcmp, process, other, KCMP_VM, 0, 0) == 0 &&
        (pid_t)fl_status_number(other, "TracerPid:", 10) != getpid())
      user = other;
  }
  closedir(folder);
  return user;
}

/// Resumes a thread until the next beginning or end of a system call. False: the thread has ended.
static bool run_to_call(pid_t thread, int *stopped_by) {
  for (;;) {
    int status;
    if (ptrace(PTRACE_SYSCALL, thread, NULL, NULL) != 0) return false;
    while (waitpid(thread, &status, __WALL) < 0)
      if (errno != EINTR) return false;
    if (!WIFSTOPPED(status) || status >> 16 == PTRACE_EVENT_EXIT) return false;
    if (status >> 16 == 0 && WSTOPSIG(status) == (SIGTRAP | 0x80)) return true;
    // All signals are blocked except SIGSTOP and those raised by a filter of system calls.
    if (WSTOPSIG(status) == SIGSTOP) *stopped_by = SIGSTOP;
  }
}

/// Makes a stopped child dumpable or undumpable. False: that failed, or the child has ended.
static bool set_dumpable(pid_t thread, uint64_t value) {
  enum { KERNEL_MASK_SIZE = 8 };
  struct user_regs_struct before, registers;
  uint64_t mask;
  uint64_t all = UINT64_MAX;
  int stopped_by = 0;
  if (!fl_registers_get(thread, &before) ||
      ptrace(PTRACE_GETSIGMASK, thread, (void *)KERNEL_MASK_SIZE, &mask) != 0)
    return false;
  registers = before;
  fl_registers_call(&registers, SYS_prctl, PR_SET_DUMPABLE, value);
  ptrace(PTRACE_SETSIGMASK, thread, (void *)KERNEL_MASK_SIZE, &all);
  bool is_done = fl_registers_set(thread, &registers) && run_to_call(thread, &stopped_by) &&
                 run_to_call(thread, &stopped_by) && fl_registers_get(thread, &registers) &&
                 fl_registers_result(&registers) == 0;
  fl_registers_set(thread, &before);
  ptrace(PTRACE_SETSIGMASK, thread, (void *)KERNEL_MASK_SIZE, &mask);
  if (stopped_by != 0) kill(thread, stopped_by);
  return is_done;
}

/// Removes all breakpoints from a child's memory. False with errno.
static bool clear(struct fl_space *space, pid_t child) {
  // A scarce descriptor will do, because it is closed again.
  space->memory = fl_memory_open(child);
  if (fl_space_restore(space, child)) {
    fl_space_forget(space);
    return true;
  }
  return false;
}

static bool may_access(pid_t child) {
  uint64_t pc;
  errno = 0;
  if (fl_pc_get(child, &pc)) ptrace(PTRACE_PEEKTEXT, child, (void *)(pc & ~(uint64_t)7), NULL);
  return errno == 0;
}

/// Opens the child's memory or removes its breakpoints. `error`: why opening failed, or 0.
static bool settle(struct fl_space *space, pid_t child, int *error) {
  *error = fl_space_open(space, child) ? 0 : errno;
  if (*error == 0) return true;
  if (may_access(child)) return clear(space, child);
  if (space->is_given_up) {
    fl_space_forget(space);
    return true;
  }
  if (!set_dumpable(child, 1)) return false;
  *error = fl_space_open(space, child) ? 0 : errno;
  bool is_settled = *error == 0 || (may_access(child) && clear(space, child));
  return set_dumpable(child, 0) && is_settled;
}

bool fl_child_memory_settle(struct fl_tracer *tracer, struct fl_task *task) {
  struct fl_space *space = task->space;
  int error;
  bool is_settled = settle(space, task->thread, &error);
  unsigned long ignored;
  if (is_settled && error == 0) return true;
  // If another process has killed the child, its end may already have been seen here.
  if (ptrace(PTRACE_GETEVENTMSG, task->thread, NULL, &ignored) != 0) {
    fl_task_remove(tracer, task->thread);
    return false;
  }
  fl_report_unrecorded(tracer, space, error, is_settled);
  if (is_settled) {
    ptrace(PTRACE_SETOPTIONS, task->thread, NULL, fl_ptrace_options(tracer, false));
    return true;
  }
  kill(task->process, SIGKILL);
  // The parent's memory is open. Removing the breakpoints there saves its next child.
  struct fl_task *parent =
      fl_task_find(tracer, (pid_t)fl_status_number(task->process, "PPid:", 10));
  if (parent != NULL) parent->space->is_given_up = fl_space_restore(parent->space, parent->thread);
  return false;
}
