// Runs a program to which the kernel denies one feature: deny FEATURE PROGRAM [ARGUMENT...]
//
// A filter answers as a kernel does that lacks the feature, or as a container's filter. Only the call
// that the feature is made of fails, where it takes arguments with just these.
#define _GNU_SOURCE
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { ANY = -1, IS = 0, BEYOND_4_GIB = 1 };

static const struct feature {
  const char *name;
  int call, error;
  int argument, how;  // which argument decides; ANY: none does
  unsigned value;
} features[] = {
    {"ptrace", SYS_ptrace, EPERM, ANY, 0, 0},
    // A program's code lies there; files that are written do not get so large.
    {"proc-mem", SYS_pwrite64, EIO, 3, BEYOND_4_GIB, 0},
    {"syscall-info", SYS_ptrace, EIO, 0, IS, PTRACE_GET_SYSCALL_INFO},
    {"kcmp", SYS_kcmp, EPERM, ANY, 0, 0},
    {"wipe-on-fork", SYS_madvise, EINVAL, 2, IS, MADV_WIPEONFORK},
    {"page-dropping", SYS_fadvise64, EPERM, ANY, 0, 0},
    {"inotify", SYS_inotify_init1, EMFILE, ANY, 0, 0},
    {"pidfd", SYS_pidfd_open, ENOSYS, ANY, 0, 0},
    {"openat2", SYS_openat2, ENOSYS, ANY, 0, 0},
    {"close-range", SYS_close_range, ENOSYS, ANY, 0, 0},
    {"seccomp", SYS_prctl, EINVAL, 0, IS, PR_SET_SECCOMP},
};

static int deny(const struct feature *feature) {
  unsigned argument = feature->argument == ANY ? 0 : (unsigned)feature->argument;
  unsigned at = offsetof(struct seccomp_data, args) + argument * 8;
  if (feature->how == BEYOND_4_GIB) at += 4;  // the high half: both architectures are little-endian
  struct sock_filter filter[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (unsigned)feature->call, 0, 3),
      feature->argument == ANY
          ? (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_IMM, feature->value)
          : (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, at),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, feature->value, feature->how == BEYOND_4_GIB ? 1 : 0,
               feature->how == BEYOND_4_GIB ? 0 : 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | (unsigned)feature->error),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  struct sock_fprog program = {sizeof filter / sizeof *filter, filter};
  return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
         prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0;
}

int main(int count, char **arguments) {
  if (count < 3) return 64;
  for (size_t i = 0; i < sizeof features / sizeof *features; i++) {
    if (strcmp(arguments[1], features[i].name) != 0) continue;
    if (deny(&features[i]) == 0) execvp(arguments[2], arguments + 2);
    perror("deny");
    return 1;
  }
  fprintf(stderr, "deny: no feature %s\n", arguments[1]);
  return 64;
}
