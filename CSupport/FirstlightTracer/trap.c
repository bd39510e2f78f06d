// The kernel forces a breakpoint's SIGTRAP on the thread: if the signal is blocked or ignored, the
// kernel unblocks it and resets its action to the default. It does so before it notifies the
// tracer, so no program dies. The kernel does not report the old mask. It is restored where it is
// known: while a SIGTRAP of the program is pending. A lost action cannot be restored. If the loss
// can be foreseen, in signal handlers, SIGTRAP is unblocked beforehand.
#define _GNU_SOURCE
#include "trap.h"

#include <signal.h>
#include <sys/ptrace.h>

#include "calls.h"
#include "libraries.h"
#include "loading.h"
#include "mappings.h"
#include "plant.h"
#include "process_file.h"
#include "resume.h"

enum { KERNEL_MASK_SIZE = 8 };

static const uint64_t TRAP_BIT = 1u << (SIGTRAP - 1);

/// Blocks SIGTRAP in a stopped thread, or unblocks it.
static void set_trap_blocked(pid_t thread, bool is_blocked) {
  uint64_t mask;
  if (ptrace(PTRACE_GETSIGMASK, thread, (void *)KERNEL_MASK_SIZE, &mask) != 0 ||
      ((mask & TRAP_BIT) != 0) == is_blocked)
    return;
  mask ^= TRAP_BIT;
  ptrace(PTRACE_SETSIGMASK, thread, (void *)KERNEL_MASK_SIZE, &mask);
}

/// Whether a breakpoint instruction raised SIGTRAP. Sent signals and single steps raise it too.
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

bool fl_step_is_over(const struct fl_task *task) {
  uint64_t pc;
  return !raised_by_breakpoint(task->thread) && fl_pc_get(task->thread, &pc) && pc != task->stepped;
}

/// Reports a breakpoint in memory that is no file's: a program that copies its code, as V8 does,
/// copies breakpoints with it.
static void note_copied_code(struct fl_tracer *tracer, const struct fl_task *task) {
  struct fl_space *space = task->space;
  uint64_t pc;
  if (space->memory < 0 || space->is_copy_reported || !raised_by_breakpoint(task->thread) ||
      !fl_pc_get(task->thread, &pc) || fl_mapping_has_file(task->thread, fl_breakpoint_address(pc)))
    return;
  space->is_copy_reported = true;
  fl_report_problem(tracer, FL_TRACER_CODE_COPIED,
                    space->record != NULL ? space->record->process.path : "", 0);
}

/// Handles a SIGTRAP that was sent, or that the program's own instruction raised.
static enum fl_trap foreign(struct fl_tracer *tracer, const struct fl_task *task) {
  note_copied_code(tracer, task);
  // SIGTRAP was ignored when the program began, but breakpoints have reset that. The signal is
  // dropped unless the program has set a handler since.
  bool ignored = task->space->ignores_trap &&
                 (fl_status_number(task->thread, "SigCgt:", 16) & TRAP_BIT) == 0 &&
                 !raised_by_breakpoint(task->thread);
  return ignored ? FL_TRAP_OURS : FL_TRAP_FOREIGN;
}

/// Handles the breakpoint on the loader's function.
static enum fl_trap handle_loader(struct fl_tracer *tracer, struct fl_task *task,
                                  uint64_t address) {
  fl_libraries_changed(tracer, task);
  fl_loader_notified(tracer, task);
  fl_pc_set(task->thread, address);
  fl_return_at_entry(task->thread, task->space->memory);
  return FL_TRAP_OURS;
}

/// The end of a hit. If the breakpoint did not raise the signal, a blocked SIGTRAP was pending, and
/// the breakpoint's was merged into it. The restored mask keeps that SIGTRAP pending.
static enum fl_trap outcome(const struct fl_task *task, bool is_ours) {
  if (is_ours) return FL_TRAP_OURS;
  set_trap_blocked(task->thread, true);
  return FL_TRAP_BLOCKED;
}

static enum fl_trap handle_return(struct fl_tracer *tracer, struct fl_task *task,
                                  struct fl_return_site *site) {
  bool is_ours = raised_by_breakpoint(task->thread);
  if (!is_ours && !site->is_planted) return foreign(tracer, task);
  fl_pc_set(task->thread, site->address);
  fl_return_site_hit(tracer, task, site);
  return outcome(task, is_ours);
}

/// Lets a process continue without the tracer.
static void leave(struct fl_task *task) {
  task->is_leaving = task->space->record != NULL && fl_space_restore(task->space, task->thread);
}

static void enter(struct fl_tracer *tracer, struct fl_task *task,
                  const struct fl_mapped_image *image, uint32_t function) {
  uint32_t main_image = image->sites.main_image;
  uint64_t main_address;
  fl_relocation_ended(task);
  if (fl_call_entered(tracer, task, image, function, &main_address))
    fl_plant_main(tracer, task, main_image, main_address);
  else if ((tracer->host.flags & FL_TRACER_UP_TO_MAIN) != 0 && tracer->task_count == 1 &&
           function != image->sites.main_argument)
    leave(task);
}

static enum fl_trap handle_entry(struct fl_tracer *tracer, struct fl_task *task,
                                 struct fl_mapped_image *image, uint32_t function,
                                 uint64_t address) {
  struct fl_space *space = task->space;
  bool is_ours = raised_by_breakpoint(task->thread);
  bool is_first = image->states[function] == FL_SITE_PLANTED;
  bool stays = is_first && (tracer->host.flags & FL_TRACER_EVERY_CALL) != 0 && !space->is_restored;
  if (!is_first) {
    if (!is_ours) return foreign(tracer, task);
    // Another thread, or the parent of a forked child, removed the breakpoint first.
    bool is_there = fl_space_has_breakpoint(space, address);
    is_first = is_there && image->states[function] == FL_SITE_INHERITED;
    if (is_there) fl_mapped_image_restore_site(image, function, space->memory, task->thread);
  } else if (!stays) {
    fl_mapped_image_restore_site(image, function, space->memory, task->thread);
  }
  if (!stays) image->states[function] = FL_SITE_TAKEN;
  fl_pc_set(task->thread, address);
  if (is_first) enter(tracer, task, image, function);
  // Entering may have added an image for `main`, and moved the others.
  if (stays && (image = fl_space_find(space, address, &function)) != NULL)
    fl_call_pass(task, image, function, address);
  return outcome(task, is_ours);
}

enum fl_trap fl_handle_trap(struct fl_tracer *tracer, struct fl_task *task) {
  struct fl_space *space = task->space;
  uint64_t pc;
  if (space->memory < 0 || !fl_pc_get(task->thread, &pc)) return foreign(tracer, task);
  uint64_t address = fl_breakpoint_address(pc);
  if (address == space->loader && raised_by_breakpoint(task->thread))
    return handle_loader(tracer, task, address);
  struct fl_return_site *site = fl_return_site_find(&space->returns, address);
  if (site != NULL) return handle_return(tracer, task, site);
  uint32_t function;
  struct fl_mapped_image *image = fl_space_find(space, address, &function);
  if (image == NULL || image->states[function] == FL_SITE_NONE) return foreign(tracer, task);
  return handle_entry(tracer, task, image, function, address);
}

void fl_deliver_signal(struct fl_task *task, int signal) {
  uint64_t handled = task->space->memory < 0 ? 0 : fl_status_number(task->thread, "SigCgt:", 16);
  bool foresee = (handled & TRAP_BIT) != 0 && (handled & 1ull << (signal - 1)) != 0;
  // Single-stepping into a handler stops before its first instruction.
  task->is_entering = foresee;
  if (foresee) ptrace(PTRACE_SINGLESTEP, task->thread, NULL, (void *)(long)signal);
  else fl_resume(task, signal);
}

void fl_handler_entered(struct fl_task *task) {
  task->is_entering = false;
  set_trap_blocked(task->thread, false);
  fl_resume(task, 0);
}
