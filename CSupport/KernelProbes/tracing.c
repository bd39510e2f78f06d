#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/kcmp.h>
#include <signal.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "kernel_probes.h"

// Code that the child never runs, for the probe to write to.
__attribute__((noinline, used)) static void target(void) { __asm__ volatile(""); }

static int32_t write_code(pid_t child) {
  char path[32];
  snprintf(path, sizeof path, "/proc/%d/mem", child);
  int memory = open(path, O_RDWR | O_CLOEXEC);
  if (memory < 0) return errno;
  // Writes the existing byte: the child's page becomes private, and keeps its contents.
  off_t address = (off_t)(uintptr_t)target;
  uint8_t byte = *(const volatile uint8_t *)(uintptr_t)target;
  int32_t error = pwrite(memory, &byte, 1, address) == 1 ? 0 : errno;
  close(memory);
  return error;
}

static void probe_stopped(pid_t child, struct fl_tracing_probes *found) {
  struct __ptrace_syscall_info call;
  found->memory = write_code(child);
  found->system_call = ptrace(PTRACE_GET_SYSCALL_INFO, child, sizeof call, &call) > 0 ? 0 : errno;
}

void fl_probe_tracing(struct fl_tracing_probes *found) {
  *found =
      (struct fl_tracing_probes){0, FL_PROBE_NOT_TRIED, FL_PROBE_NOT_TRIED, FL_PROBE_NOT_TRIED};
  pid_t child = fork();
  if (child == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    for (;;) pause();
  }
  if (child < 0) {
    found->tracing = errno;
    return;
  }
  found->comparison = syscall(SYS_kcmp, getpid(), child, KCMP_VM, 0, 0) >= 0 ? 0 : errno;
  if (ptrace(PTRACE_SEIZE, child, NULL, (void *)PTRACE_O_EXITKILL) != 0 ||
      ptrace(PTRACE_INTERRUPT, child, NULL, NULL) != 0 || waitpid(child, NULL, 0) != child) {
    found->tracing = errno;
  } else {
    probe_stopped(child, found);
  }
  kill(child, SIGKILL);
  while (waitpid(child, NULL, 0) < 0 && errno == EINTR) continue;
}
