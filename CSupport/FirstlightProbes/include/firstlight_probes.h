// Records the first calls of functions in all processes that run or map one file, through the
// kernel's uprobes (uprobe_multi links, Linux 6.6). No process is stopped or changed by us: the
// kernel writes the breakpoints, and takes them out when the last link on them is closed, also when
// this process is killed. If SIGKILL interrupts that, the kernel leaves them in the code and keeps
// handling their hits.
//
// Needs CAP_BPF and CAP_PERFMON, or root. Not thread-safe.
#ifndef FIRSTLIGHT_PROBES_H
#define FIRSTLIGHT_PROBES_H

#include <stdint.h>
#include <sys/types.h>

#ifdef __cplusplus
extern "C" {
#endif

#pragma clang assume_nonnull begin

/// The first call of a function. The kernel writes it while the program runs.
struct fl_probe_call {
  uint64_t caller;  // process id << 32 | thread id; 0: not called yet. In the first pid namespace
  uint64_t time;  // CLOCK_MONOTONIC, ns; 0: not written yet
};

/// The first instruction of a program in a process.
struct fl_probe_start {
  uint64_t number;  // counts from 1; the kernel writes it last. 0: not written yet
  uint64_t caller, time;  // as of fl_probe_call
};

/// Starts that are kept; a later one takes the place of the oldest.
#define FL_PROBE_STARTS 4096u

struct fl_probes;

/// Tries all that a recorder needs, on our own executable. Returns 0 or an errno.
int fl_probes_try(void);

/// Prepares to watch the functions of a file. NULL with an errno.
///
/// `path`: the file as it can be opened here; `/proc/PID/exe` leads to one that was deleted or lies
/// in a container. `process`: the only one in which functions are watched; 0: all. `offsets`: the
/// place in the file of each function's first byte; copied. `groups`: the largest number of groups
/// of functions.
struct fl_probes *_Nullable fl_probes_make(const char *path, pid_t process, const uint64_t *offsets,
                                           uint32_t count, uint32_t groups);

/// Watches these functions in place of those that the group had. Returns 0, or an errno: nothing
/// has changed then. ENOTSUPP (524), EOPNOTSUPP and EINVAL mean that the kernel cannot watch one of
/// the instructions there.
///
/// A change takes time for each function of the group, and some milliseconds. `functions`: indices
/// in `offsets`.
int fl_probes_watch(struct fl_probes *probes, uint32_t group, const uint32_t *functions,
                    uint32_t count);

/// Whether the kernel can watch all of these functions: 0, or an errno as of `fl_probes_watch`.
/// Tried with a link of its own, so that each group goes on watching.
int fl_probes_test(struct fl_probes *probes, const uint32_t *functions, uint32_t count);

/// Also watches the start of each process that runs the file, at this place of its first
/// instruction. Returns 0 or an errno.
int fl_probes_watch_starts(struct fl_probes *probes, uint64_t offset);

/// The number of starts so far, and the last ones: start number n is at index (n - 1) modulo
/// FL_PROBE_STARTS.
uint64_t fl_probes_start_count(const struct fl_probes *probes);
const volatile struct fl_probe_start *fl_probes_starts(const struct fl_probes *probes);

/// The first call of each function, by index.
const volatile struct fl_probe_call *fl_probes_calls(const struct fl_probes *probes);

/// How often a watched function was called so far, first calls included: each took about 1.5 µs.
uint64_t fl_probes_hits(const struct fl_probes *probes);

/// The longest CPU time that the kernel took to add the probes of a link, ns. A kernel without
/// preemption runs no other thread on that processor meanwhile.
uint64_t fl_probes_longest(const struct fl_probes *probes);

/// Waits until the kernel has removed all probes that `fl_probes_watch` gave up.
void fl_probes_settle(void);

/// Ends the watch.
void fl_probes_free(struct fl_probes *_Nullable probes);

#pragma clang assume_nonnull end

#ifdef __cplusplus
}
#endif

#endif
