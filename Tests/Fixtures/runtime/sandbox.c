// Runs a program under a filter of system calls: sandbox any|docker|service PROGRAM [ARGUMENT...]
//
// any: all is allowed, but there is a filter. docker: what Docker's default profile blocks fails with
// EPERM (https://docs.docker.com/engine/security/seccomp). service: what systemd's @system-service
// leaves out of its sets ends the process (systemd-analyze syscall-filter).
#define _GNU_SOURCE
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

static const unsigned docker[] = {
    SYS_acct, SYS_add_key, SYS_bpf, SYS_clock_adjtime, SYS_clock_settime, SYS_delete_module,
    SYS_finit_module, SYS_get_mempolicy, SYS_init_module, SYS_io_uring_enter, SYS_io_uring_register,
    SYS_io_uring_setup, SYS_kcmp, SYS_kexec_file_load, SYS_kexec_load, SYS_keyctl,
    SYS_lookup_dcookie, SYS_mbind, SYS_mount, SYS_move_pages, SYS_nfsservctl,
    SYS_open_by_handle_at, SYS_perf_event_open, SYS_personality, SYS_pivot_root,
    SYS_process_vm_readv, SYS_process_vm_writev, SYS_quotactl, SYS_reboot, SYS_request_key,
    SYS_set_mempolicy, SYS_setns, SYS_settimeofday, SYS_swapoff, SYS_swapon, SYS_umount2,
    SYS_unshare, SYS_userfaultfd,
};

static const unsigned service[] = {
    // @clock, @cpu-emulation, @debug, @module, @mount, @obsolete, @pkey, @privileged, @raw-io, @reboot,
    // @swap, as far as they are not in other sets of @system-service.
    SYS_acct, SYS_adjtimex, SYS_bpf, SYS_chroot, SYS_clock_adjtime, SYS_clock_settime,
    SYS_delete_module, SYS_fanotify_init, SYS_finit_module, SYS_fsopen, SYS_init_module,
    SYS_kexec_file_load, SYS_kexec_load, SYS_lookup_dcookie, SYS_mount, SYS_move_mount,
    SYS_nfsservctl, SYS_open_by_handle_at, SYS_open_tree, SYS_perf_event_open, SYS_pivot_root,
    SYS_pkey_alloc, SYS_pkey_free, SYS_process_vm_readv, SYS_process_vm_writev, SYS_ptrace,
    SYS_quotactl, SYS_reboot, SYS_setdomainname, SYS_sethostname, SYS_settimeofday, SYS_swapoff,
    SYS_swapon, SYS_syslog, SYS_umount2, SYS_userfaultfd, SYS_vhangup, SYS_vmsplice,
};

static int confine(const unsigned *calls, size_t count, unsigned answer) {
  struct sock_filter filter[2 * 64 + 2];
  unsigned short at = 0;
  filter[at++] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
                                              offsetof(struct seccomp_data, nr));
  for (size_t i = 0; i < count; i++) {
    filter[at++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, calls[i], 0, 1);
    filter[at++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, answer);
  }
  filter[at++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
  struct sock_fprog program = {at, filter};
  return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
         prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0;
}

int main(int count, char **arguments) {
  if (count < 3) return 64;
  int failed = 64;
  if (strcmp(arguments[1], "any") == 0) failed = confine(NULL, 0, 0);
  if (strcmp(arguments[1], "docker") == 0)
    failed = confine(docker, sizeof docker / sizeof *docker, SECCOMP_RET_ERRNO | EPERM);
  if (strcmp(arguments[1], "service") == 0)
    failed = confine(service, sizeof service / sizeof *service, SECCOMP_RET_KILL_PROCESS);
  if (failed == 0) execv(arguments[2], arguments + 2);
  perror("sandbox");
  return 1;
}
