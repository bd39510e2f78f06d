#define _GNU_SOURCE
#include <errno.h>
#include <signal.h>
#include <stddef.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/user.h>
#include <sys/wait.h>

#include "firstlight_launcher.h"

int fl_trace_exit(pid_t pid) {
  long options = PTRACE_O_TRACEEXIT | PTRACE_O_TRACEEXEC | PTRACE_O_EXITKILL;
  return ptrace(PTRACE_SETOPTIONS, pid, NULL, options) < 0 ? errno : 0;
}

int fl_trace_continue(pid_t pid, int signal) {
  return ptrace(PTRACE_CONT, pid, NULL, (long)signal) < 0 ? errno : 0;
}

int fl_trace_detach(pid_t pid) { return ptrace(PTRACE_DETACH, pid, NULL, 0L) < 0 ? errno : 0; }

bool fl_is_exit_stop(int status) { return status >> 8 == (SIGTRAP | PTRACE_EVENT_EXIT << 8); }

bool fl_is_exec_stop(int status) { return status >> 8 == (SIGTRAP | PTRACE_EVENT_EXEC << 8); }

#if defined(__x86_64__)

const uint8_t fl_syscall_instruction[4] = {0x0f, 0x05};
const uint32_t fl_syscall_instruction_size = 2;

int fl_trace_advise(pid_t pid, uint64_t instruction, uint64_t address, uint64_t size, int advice) {
  struct user_regs_struct before;
  if (ptrace(PTRACE_GETREGS, pid, NULL, &before) < 0) return errno;
  struct user_regs_struct call = before;
  call.rip = instruction;
  call.rax = SYS_madvise;
  // Marks that no system call is in progress; otherwise the kernel would restart the earlier one.
  call.orig_rax = (unsigned long long)-1;
  call.rdi = address;
  call.rsi = size;
  call.rdx = (unsigned long long)advice;
  if (ptrace(PTRACE_SETREGS, pid, NULL, &call) < 0) return errno;
  int status = 0;
  if (ptrace(PTRACE_SINGLESTEP, pid, NULL, 0L) < 0 || waitpid(pid, &status, 0) < 0) return errno;
  if (!WIFSTOPPED(status)) return ESRCH;
  if (ptrace(PTRACE_GETREGS, pid, NULL, &call) < 0) return errno;
  long result = (long)call.rax;
  if (ptrace(PTRACE_SETREGS, pid, NULL, &before) < 0) return errno;
  return result < 0 ? (int)-result : 0;
}

#else

const uint8_t fl_syscall_instruction[4] = {0};
const uint32_t fl_syscall_instruction_size = 0;

int fl_trace_advise(pid_t pid, uint64_t instruction, uint64_t address, uint64_t size, int advice) {
  (void)pid, (void)instruction, (void)address, (void)size, (void)advice;
  return ENOSYS;
}

#endif
