// Tries the kernel features that the tools use, one by one: a container's filter may deny what the
// kernel's version supports. In C because Swift cannot call fork, ptrace and syscall. Used only by
// `firstlight doctor`.
#ifndef KERNEL_PROBES_H
#define KERNEL_PROBES_H

#include <stdint.h>

// Each probe returns 0 if the feature works; an errno; or one of these.
enum {
  FL_PROBE_NO_EFFECT = -1,  // the call succeeds without effect
  FL_PROBE_NOT_TRIED = -2,  // a prerequisite failed
};

// Uses of ptrace(2) and /proc by the breakpoint recorder and `launch`, tried on a child.
struct fl_tracing_probes {
  int32_t tracing;      // PTRACE_SEIZE and PTRACE_INTERRUPT
  int32_t memory;       // a write to code through /proc/PID/mem
  int32_t system_call;  // PTRACE_GET_SYSCALL_INFO
  int32_t comparison;   // kcmp(2), KCMP_VM
};

void fl_probe_tracing(struct fl_tracing_probes *_Nonnull found);

// Whether memory with MADV_WIPEONFORK is empty in a forked child.
int32_t fl_probe_wipe_on_fork(void);
// Whether the pages of a file in a folder can be dropped (posix_fadvise). Creates an unnamed file
// there.
int32_t fl_probe_page_dropping(const char *_Nonnull folder);
// Whether /proc/sys/vm/drop_caches is writable. Drops nothing.
int32_t fl_probe_cache_dropping(void);
// Whether /proc/self/pagemap can be read.
int32_t fl_probe_page_map(void);
// Whether folders can be watched (inotify(7)).
int32_t fl_probe_file_watching(void);
// The features of firstlightd's sandbox.
int32_t fl_probe_process_descriptor(void);
int32_t fl_probe_descriptor_closing(void);
int32_t fl_probe_restricted_open(void);
int32_t fl_probe_system_call_filter(void);

#endif
