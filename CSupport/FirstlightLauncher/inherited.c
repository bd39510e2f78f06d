// Saves what this process inherited and changes for itself, so that its programs get it unchanged.
#define _GNU_SOURCE
#include <signal.h>
#include <stddef.h>
#include <sys/resource.h>

#include "firstlight_launcher.h"

static sigset_t ignored;
static struct rlimit descriptors;

/// Runs before main, and before any thread. Supervisors may ignore SIGCHLD; the kernel would then
/// not tell us how our children end.
__attribute__((constructor)) static void take(void) {
  sigemptyset(&ignored);
  for (int signal = 1; signal < NSIG; signal++) {
    struct sigaction action;
    if (sigaction(signal, NULL, &action) == 0 && action.sa_handler == SIG_IGN)
      sigaddset(&ignored, signal);
  }
  getrlimit(RLIMIT_NOFILE, &descriptors);
  signal(SIGCHLD, SIG_DFL);
}

void fl_restore_inherited(void) {
  for (int signal = 1; signal < NSIG; signal++) {
    struct sigaction action = {.sa_handler = SIG_DFL};
    if (sigismember(&ignored, signal) == 1) action.sa_handler = SIG_IGN;
    sigaction(signal, &action, NULL);
  }
  setrlimit(RLIMIT_NOFILE, &descriptors);
}
