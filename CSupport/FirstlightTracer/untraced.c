// A filter of system calls (seccomp) costs nothing for the others, while PTRACE_SYSCALL stops at
// all. It stays when the tracer has gone: then these calls fail with ENOSYS, as clone3 does on
// older kernels, and libcs call clone instead.
#define _GNU_SOURCE
#include "untraced.h"

#include <errno.h>
#include <sched.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>

#include "arch.h"

#if defined(__x86_64__)
enum { ARCHITECTURE = (int)AUDIT_ARCH_X86_64 };
#else
enum { ARCHITECTURE = (int)AUDIT_ARCH_AARCH64 };
#endif

#define LOAD(field) \
  BPF_STMT(BPF_LD | BPF_W | BPF_ABS, (uint32_t)offsetof(struct seccomp_data, field))
#define SKIP_UNLESS(condition, value, count) \
  BPF_JUMP(BPF_JMP | (condition) | BPF_K, (uint32_t)(value), 0, count)
#define ANSWER(action) BPF_STMT(BPF_RET | BPF_K, action)

void fl_untraced_report(void) {
  struct sock_filter instructions[] = {
      LOAD(arch),
      SKIP_UNLESS(BPF_JEQ, ARCHITECTURE, 7),
      LOAD(nr),
      // Its flags are in memory, which filters cannot read.
      SKIP_UNLESS(BPF_JEQ, SYS_clone3, 1),
      ANSWER(SECCOMP_RET_TRACE),
      SKIP_UNLESS(BPF_JEQ, SYS_clone, 3),
      LOAD(args[0]),
      SKIP_UNLESS(BPF_JSET, CLONE_UNTRACED, 1),
      ANSWER(SECCOMP_RET_TRACE),
      ANSWER(SECCOMP_RET_ALLOW),
  };
  const struct sock_fprog program = {sizeof instructions / sizeof *instructions, instructions};
  if (syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program) == 0 || errno != EACCES) return;
  // Without CAP_SYS_ADMIN the kernel wants this first. The program gains no rights as it is: it is
  // traced.
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0)
    syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program);
}

void fl_untraced_take_off(pid_t thread) {
  struct user_regs_struct registers;
  long number;
  uint64_t first;
  if (!fl_registers_get(thread, &registers)) return;
  fl_registers_current_call(&registers, &number, &first);
  if (number == SYS_clone && (first & CLONE_UNTRACED) != 0) {
    fl_registers_set_first(&registers, first & ~(uint64_t)CLONE_UNTRACED);
    fl_registers_set(thread, &registers);
  } else if (number == SYS_clone3) {
    // The first field of struct clone_args. All ones are no valid flags.
    long flags = ptrace(PTRACE_PEEKDATA, thread, (void *)first, NULL);
    if (flags != -1 && (flags & CLONE_UNTRACED) != 0)
      ptrace(PTRACE_POKEDATA, thread, (void *)first, (void *)(flags & ~(long)CLONE_UNTRACED));
  }
}
