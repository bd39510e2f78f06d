// What a program may say to Firstlight's runtime. Every call does nothing, cheaply, in a program
// that is not being recorded (FIRSTLIGHT_DIR not set).
#ifndef FIRSTLIGHT_H
#define FIRSTLIGHT_H

#include <stdbool.h>

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
FIRSTLIGHT_HIDDEN bool firstlight_is_recording(void);

#ifdef __cplusplus
}
#endif

#endif
