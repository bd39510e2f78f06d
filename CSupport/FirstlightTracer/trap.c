// SIGTRAP: ours or the program's.
//
// The kernel raises a breakpoint's SIGTRAP by force: where the signal is blocked or ignored it
// first unblocks it and resets its action to the default. That happens before a tracer is asked, so
// no program dies of it, but a mask that blocked SIGTRAP has to be put right again. What the mask
// was is not told; `was_blocked` infers it. A lost action cannot be put right: where we can foresee
// it, in signal handlers, SIGTRAP is unblocked beforehand.
#define _GNU_SOURCE
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/ptrace.h>

#include "process_file.h"
#include "tracer.h"

enum { KERNEL_MASK_SIZE = 8 };

static const uint64_t TRAP_BIT = 1u << (SIGTRAP - 1);

void fl_mask_note(struct fl_task *task) {
  task->mask_known =
      ptrace(PTRACE_GETSIGMASK, task->thread, (void *)KERNEL_MASK_SIZE, &task->mask) == 0;
}

/// Whether SIGTRAP was blocked when a breakpoint was hit, `mask` being what is blocked now.
static bool was_blocked(const struct fl_task *task, uint64_t mask) {
  if (task->mask_known && task->mask == mask) return false;
  // All but SIGTRAP and what cannot be blocked (SIGKILL, SIGSTOP; 32 and 33 are libc's own): the
  // work of sigfillset.
  uint64_t never = 1u << (SIGKILL - 1) | 1u << (SIGSTOP - 1) | 3ull << 31;
  if ((mask | never | TRAP_BIT) == UINT64_MAX) return true;
  // It was blocked at the stop before this one, and nothing else has changed.
  return task->mask_known && (task->mask & TRAP_BIT) != 0 && (task->mask & ~TRAP_BIT) == mask;
}

static void keep_mask(struct fl_task *task, bool is_blocked) {
  uint64_t mask;
  if (ptrace(PTRACE_GETSIGMASK, task->thread, (void *)KERNEL_MASK_SIZE, &mask) != 0) return;
  if ((mask & TRAP_BIT) == 0 && (is_blocked || was_blocked(task, mask))) {
    mask |= TRAP_BIT;
    ptrace(PTRACE_SETSIGMASK, task->thread, (void *)KERNEL_MASK_SIZE, &mask);
  }
  task->mask = mask;
  task->mask_known = true;
}

/// A breakpoint instruction's SIGTRAP, and no one that was sent or that single-stepping raises.
static bool is_breakpoint(const siginfo_t *information) {
  return information->si_signo == SIGTRAP &&
         (information->si_code == SI_KERNEL || information->si_code == TRAP_BRKPT);
}

static bool raised_by_breakpoint(pid_t thread) {
  siginfo_t information;
  return ptrace(PTRACE_GETSIGINFO, thread, NULL, &information) == 0 && is_breakpoint(&information);
}

bool fl_trap_is_pending(pid_t thread) {
  siginfo_t pending[8];
  struct __ptrace_peeksiginfo_args from = {.nr = 8};
  long count = ptrace(PTRACE_PEEKSIGINFO, thread, &from, pending);
  for (long i = 0; i < count; i++)
    if (is_breakpoint(&pending[i])) return true;
  return false;
}

bool fl_step_is_over(struct fl_task *task) {
  uint64_t pc;
  if (raised_by_breakpoint(task->thread) || !fl_pc_get(task->thread, &pc) || pc == task->stepped)
    return false;
  keep_mask(task, false);
  return true;
}

/// A SIGTRAP that somebody sent, or that an instruction of the program's own raised.
static enum fl_trap foreign(const struct fl_task *task) {
  // Ignored since before the program began, which breakpoints have made the kernel forget. Unless
  // the program has set a handler since, it is as good as never sent.
  bool ignored = task->space->ignores_trap &&
                 (fl_status_number(task->thread, "SigCgt:", 16) & TRAP_BIT) == 0 &&
                 !raised_by_breakpoint(task->thread);
  return ignored ? FL_TRAP_OURS : FL_TRAP_FOREIGN;
}

enum fl_trap fl_handle_trap(struct fl_tracer *tracer, struct fl_task *task) {
  struct fl_space *space = task->space;
  uint64_t pc;
  if (space->memory < 0 || !fl_pc_get(task->thread, &pc)) return foreign(task);
  uint64_t address = fl_breakpoint_address(pc);
  if (address == space->loader && raised_by_breakpoint(task->thread)) {
    fl_libraries_changed(tracer, task);
    fl_loader_notified(tracer, task);
    fl_pc_set(task->thread, address);
    fl_return_at_entry(task->thread, space->memory);
    keep_mask(task, false);
    return FL_TRAP_OURS;
  }
  struct fl_return_site *site = fl_return_site_find(&space->returns, address);
  if (site != NULL) {
    bool is_ours = raised_by_breakpoint(task->thread);
    if (!is_ours && !site->is_planted) return foreign(task);
    fl_pc_set(task->thread, address);
    fl_return_site_hit(tracer, task, site);
    keep_mask(task, !is_ours);
    return is_ours ? FL_TRAP_OURS : FL_TRAP_BLOCKED;
  }
  uint32_t function;
  struct fl_mapped_image *image = fl_space_find(space, address, &function);
  if (image == NULL || image->states[function] == FL_SITE_NONE) return foreign(task);

  bool is_ours = raised_by_breakpoint(task->thread);
  bool is_first = image->states[function] == FL_SITE_PLANTED;
  if (!is_first) {
    if (!is_ours) return foreign(task);
    // Another thread was faster, or the parent of a forked child was.
    bool is_there = fl_space_has_breakpoint(space, address);
    is_first = is_there && image->states[function] == FL_SITE_INHERITED;
    if (is_there) fl_space_restore_site(space, image, function, task->thread);
  } else {
    fl_space_restore_site(space, image, function, task->thread);
  }
  image->states[function] = FL_SITE_TAKEN;
  fl_pc_set(task->thread, address);
  if (is_first) fl_call_entered(tracer, task, image, function);
  // Not raised by the breakpoint it stands behind: a SIGTRAP was pending, blocked, and the
  // breakpoint's was merged into it. With the mask put right the kernel keeps it pending.
  keep_mask(task, !is_ours);
  return is_ours ? FL_TRAP_OURS : FL_TRAP_BLOCKED;
}

void fl_deliver_signal(struct fl_tracer *tracer, struct fl_task *task, int signal) {
  uint64_t handled = task->space->memory < 0 ? 0 : fl_status_number(task->thread, "SigCgt:", 16);
  bool foresee = (handled & TRAP_BIT) != 0 && (handled & 1ull << (signal - 1)) != 0;
  // Single-stepping into a handler stops before its first instruction.
  task->is_entering = foresee;
  if (foresee) ptrace(PTRACE_SINGLESTEP, task->thread, NULL, (void *)(long)signal);
  else fl_resume(tracer, task, signal);
}

void fl_handler_entered(struct fl_tracer *tracer, struct fl_task *task) {
  task->is_entering = false;
  fl_mask_note(task);
  if (task->mask_known && (task->mask & TRAP_BIT) != 0) {
    task->mask &= ~TRAP_BIT;
    ptrace(PTRACE_SETSIGMASK, task->thread, (void *)KERNEL_MASK_SIZE, &task->mask);
  }
  fl_resume(tracer, task, 0);
}
