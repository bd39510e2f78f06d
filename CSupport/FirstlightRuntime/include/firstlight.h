// The functions of Firstlight's runtime for programs. In a program that is not being recorded
// (FIRSTLIGHT_DIR not set), each call returns at once and does nothing.
#ifndef FIRSTLIGHT_H
#define FIRSTLIGHT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define FIRSTLIGHT_HIDDEN __attribute__((visibility("hidden")))
#else
#define FIRSTLIGHT_HIDDEN
#endif

/// Reports that the program is ready: start-up ends here.
///
/// Only the first call in a process counts. Async-signal-safe; keeps errno.
FIRSTLIGHT_HIDDEN void firstlight_ready(void);

/// Whether first calls of the calling binary are being recorded in this process.
/// Async-signal-safe.
FIRSTLIGHT_HIDDEN bool firstlight_is_recording(void);

// Marks and spans: named events of the program, with time and thread. They are recorded when
// FIRSTLIGHT_DIR is set, also in binaries that are not instrumented. A process keeps the first
// 8,192, or those whose names fill 252 KiB; the others are counted. Async-signal-safe, wait-free
// after the first in a process; they keep errno.

/// Marks a point in time: "config loaded". A name longer than 1,024 bytes is truncated.
FIRSTLIGHT_HIDDEN void firstlight_mark(const char *name);

/// The same with a name of `size` bytes, which need not end with NUL.
FIRSTLIGHT_HIDDEN void firstlight_mark_sized(const char *name, size_t size);

/// Begins a span. Returns its number for firstlight_span_end, or 0 if it is not recorded. A span
/// that never ends is recorded without an end.
FIRSTLIGHT_HIDDEN uint64_t firstlight_span_begin(const char *name);

/// The same with a name of `size` bytes, which need not end with NUL.
FIRSTLIGHT_HIDDEN uint64_t firstlight_span_begin_sized(const char *name, size_t size);

/// Ends a span, from any thread. Only the first call counts. A span that a forked child has from
/// its parent is ended by the parent. Does nothing with 0.
FIRSTLIGHT_HIDDEN void firstlight_span_end(uint64_t span);

/// Whether marks are being recorded, for callers whose names are costly to make.
FIRSTLIGHT_HIDDEN bool firstlight_is_marking(void);

// The following functions affect all binaries of the process. They may be called from any thread,
// but not from a signal handler, because they query the loader.

/// Starts recording in a process that was started without FIRSTLIGHT_DIR.
///
/// `directory`: absolute path of an existing directory. Binaries loaded later are recorded there
/// too. Does nothing if the process is already being recorded.
/// Returns whether all instrumented binaries are being recorded; if not, a line on standard error
/// gives the reason, and `errno` is set.
FIRSTLIGHT_HIDDEN bool firstlight_start(const char *directory);

/// Pauses recording. A function that runs first during the pause is recorded at its first call
/// after firstlight_resume.
FIRSTLIGHT_HIDDEN void firstlight_pause(void);

/// Resumes recording after firstlight_pause, or in a process started with FIRSTLIGHT_PAUSED.
FIRSTLIGHT_HIDDEN void firstlight_resume(void);

/// Waits until the recording so far is on the disk, to survive a power failure. Not needed for
/// readers on this machine, nor before the process exits.
/// Returns whether the recording was written; if not, `errno` is set.
FIRSTLIGHT_HIDDEN bool firstlight_flush(void);

#ifdef __cplusplus
}
#endif

#endif
