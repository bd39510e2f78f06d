#define _GNU_SOURCE
#include <errno.h>
#include <linux/audit.h>
#include <linux/capability.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "worker_sandbox.h"

#if defined(__x86_64__)
#define ARCHITECTURE AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define ARCHITECTURE AUDIT_ARCH_AARCH64
#else
#error "unsupported architecture: its system calls are not known here"
#endif

#define LOAD(field) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, field))
// The low half of a 64-bit argument: both architectures are little-endian.
#define LOAD_ARGUMENT(number) LOAD(args[number])
#define RETURN(action) BPF_STMT(BPF_RET | BPF_K, action)
#define REFUSED (SECCOMP_RET_ERRNO | EACCES)
#define ALLOW(call) \
  BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, __NR_##call, 0, 1), RETURN(SECCOMP_RET_ALLOW)
// Refuses a call with one of these bits in an argument; then reloads the call's number.
#define UNLESS_SET(call, number, bits)                                           \
  BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, __NR_##call, 0, 4), LOAD_ARGUMENT(number), \
      BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, bits, 0, 1), RETURN(REFUSED), LOAD(nr)

static int set_filter(void) {
  struct sock_filter filter[] = {
      LOAD(arch),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, ARCHITECTURE, 1, 0),
      RETURN(SECCOMP_RET_KILL_PROCESS),
      LOAD(nr),
      // Private memory, counted by RLIMIT_DATA: shared memory and stacks that grow are not.
      UNLESS_SET(mmap, 2, PROT_EXEC),
      UNLESS_SET(mmap, 3, MAP_SHARED | MAP_GROWSDOWN | MAP_HUGETLB),
      ALLOW(mmap),
      UNLESS_SET(mprotect, 2, PROT_EXEC),
      ALLOW(mprotect),
      ALLOW(munmap),
      ALLOW(mremap),
      ALLOW(brk),
      ALLOW(madvise),
      // Open descriptors.
      ALLOW(read),
      ALLOW(pread64),
      ALLOW(lseek),
      ALLOW(fstat),
      ALLOW(close),
      ALLOW(write),
      ALLOW(writev),
      // Needed by the C library and the Swift runtime.
      ALLOW(futex),
      ALLOW(sched_yield),
      ALLOW(clock_gettime),
      ALLOW(getrandom),
      ALLOW(sysinfo),
      ALLOW(getpid),
      ALLOW(gettid),
      ALLOW(rt_sigaction),
      ALLOW(rt_sigprocmask),
      ALLOW(rt_sigreturn),
      ALLOW(sigaltstack),
      ALLOW(restart_syscall),
      ALLOW(exit),
      ALLOW(exit_group),
      // abort() signals its own process; no other may be signalled.
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, __NR_tgkill, 0, 3),
      LOAD_ARGUMENT(0),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)getpid(), 0, 1),
      RETURN(SECCOMP_RET_ALLOW),
      RETURN(REFUSED),
  };
  struct sock_fprog program = {.len = sizeof filter / sizeof *filter, .filter = filter};
  // prctl, because not all service managers' filters allow seccomp(2).
  return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) < 0 ? errno : 0;
}

// Memory that is still available after a crash with another cause. A failed allocation can be a
// large part of the limit, as when an array doubles.
enum { LITTLE_MEMORY = 4 << 20 };
static size_t much_memory = LITTLE_MEMORY;

static void crashed(int signal) {
  // Allocators give up by abort or a trap. Other signals count only if memory is nearly exhausted.
  bool gave_up = signal == SIGABRT || signal == SIGILL || signal == SIGTRAP;
  void *more = mmap(NULL, gave_up ? much_memory : LITTLE_MEMORY, PROT_READ | PROT_WRITE,
                    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (more == MAP_FAILED && errno == ENOMEM) _exit(FL_WORKER_OUT_OF_MEMORY);
  // SA_RESETHAND has restored the default action, and the crash is repeated on return.
}

static int watch_crashes(void) {
  struct rlimit memory;
  if (getrlimit(RLIMIT_DATA, &memory) < 0) return errno;
  if (memory.rlim_cur != RLIM_INFINITY && memory.rlim_cur / 4 > much_memory) {
    much_memory = memory.rlim_cur / 4;
  }
  // After deep recursion, the stack has no space for the handler.
  static char stack[64 << 10];
  stack_t alternate = {.ss_sp = stack, .ss_size = sizeof stack};
  if (sigaltstack(&alternate, NULL) < 0) return errno;
  struct sigaction action = {.sa_handler = crashed, .sa_flags = SA_ONSTACK | SA_RESETHAND};
  static const int signals[] = {SIGILL, SIGTRAP, SIGABRT, SIGSEGV, SIGBUS, SIGFPE};
  sigset_t watched;
  sigemptyset(&watched);
  for (size_t place = 0; place < sizeof signals / sizeof *signals; place++) {
    if (sigaction(signals[place], &action, NULL) < 0) return errno;
    sigaddset(&watched, signals[place]);
  }
  // The parent may have had the signals blocked. Then no handler would run: abort() of glibc 2.41
  // takes the default action.
  return sigprocmask(SIG_UNBLOCK, &watched, NULL) < 0 ? errno : 0;
}

static int drop_capabilities(void) {
  struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
  struct __user_cap_data_struct none[_LINUX_CAPABILITY_U32S_3] = {{0}};
  return syscall(SYS_capset, &header, none) < 0 ? errno : 0;
}

int fl_sandbox_enter(void) {
  // A filter set by prctl applies to the calling thread only. Each task is a directory there.
  struct stat tasks;
  if (stat("/proc/self/task", &tasks) < 0) return errno;
  if (tasks.st_nlink != 3) return EBUSY;
  struct rlimit no_more = {0, 0};
  if (setrlimit(RLIMIT_NOFILE, &no_more) < 0) return errno;
  // Core dumps that are piped to a program have no limit.
  if (prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) < 0) return errno;
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0) return errno;
  int error = drop_capabilities();
  if (error == 0) error = watch_crashes();
  return error != 0 ? error : set_filter();
}
