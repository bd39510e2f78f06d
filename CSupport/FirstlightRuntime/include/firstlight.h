// What a program may say to Firstlight's runtime. Every call does nothing, cheaply, in a program
// that is not being recorded (FIRSTLIGHT_DIR not set).
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

/// Says that the program has started up: what runs from now on is not start-up.
///
/// The first call in a process counts, later ones do nothing. Async-signal-safe; keeps errno.
FIRSTLIGHT_HIDDEN void firstlight_ready(void);

/// Whether this process's first calls are being recorded, in the image that asks.
/// Async-signal-safe.
FIRSTLIGHT_HIDDEN bool firstlight_is_recording(void);

// Marks and spans: what the program says of itself, with time and thread. They are recorded whether
// the image has guards or not, as soon as FIRSTLIGHT_DIR is set. The first 8,192 of a process are
// kept, or those whose names fill 252 KiB; what is more is counted. Async-signal-safe, wait-free
// after the first in a process; they keep errno.

/// Notes a moment: "config loaded". A name has at most 1,024 bytes, what is longer is cut off.
FIRSTLIGHT_HIDDEN void firstlight_mark(const char *name);

/// The same with a name of `size` bytes, which need not end with NUL.
FIRSTLIGHT_HIDDEN void firstlight_mark_sized(const char *name, size_t size);

/// Begins a span: what lies between here and its end. Returns what firstlight_span_end ends it
/// with; 0 if it is not recorded. A span that does not end is kept as such.
FIRSTLIGHT_HIDDEN uint64_t firstlight_span_begin(const char *name);

/// The same with a name of `size` bytes, which need not end with NUL.
FIRSTLIGHT_HIDDEN uint64_t firstlight_span_begin_sized(const char *name, size_t size);

/// Ends a span, in whichever thread; its first end counts. One that a forked child has from its
/// parent is the parent's to end. Does nothing with 0.
FIRSTLIGHT_HIDDEN void firstlight_span_end(uint64_t span);

/// Whether marks set now are recorded, for callers whose names take work to make.
FIRSTLIGHT_HIDDEN bool firstlight_is_marking(void);

// These concern all images of the process. They ask the loader which there are: do not call them
// from a signal handler. They may be called from any thread.

/// Starts to record a process that was started without FIRSTLIGHT_DIR.
///
/// `directory`: absolute path of an existing directory. Images that are loaded later are recorded
/// there too. Does nothing if the process is being recorded already.
/// Returns whether all images with guards are being recorded; if not, a line on standard error says
/// why, and `errno` is set.
FIRSTLIGHT_HIDDEN bool firstlight_start(const char *directory);

/// Stops recording for now. What is called first meanwhile is recorded when it is called again
/// after firstlight_resume.
FIRSTLIGHT_HIDDEN void firstlight_pause(void);

/// Goes on recording after firstlight_pause, or in a process that FIRSTLIGHT_PAUSED has start
/// paused.
FIRSTLIGHT_HIDDEN void firstlight_resume(void);

/// Forgets what was recorded in this process so far: its trace holds what is called first from now
/// on. Marks are forgotten too; the room they took stays taken.
///
/// A call that another thread is making meanwhile may fall on either side. Each reset keeps as much
/// address space as the segments have, so it is for a few moments in a process's life.
/// Returns whether it was possible in all images; if not, `errno` says why.
FIRSTLIGHT_HIDDEN bool firstlight_reset(void);

/// Waits until what was recorded so far is on the storage: for machines that may lose power. For
/// readers on this machine, and for the process's own end, there is nothing to wait for.
/// Returns whether the storage took it; if not, `errno` says why.
FIRSTLIGHT_HIDDEN bool firstlight_flush(void);

#ifdef __cplusplus
}
#endif

#endif
