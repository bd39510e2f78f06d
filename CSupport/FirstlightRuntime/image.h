// What image the runtime's copy is in.
#ifndef FL_IMAGE_H
#define FL_IMAGE_H

#include <stdbool.h>

#include "attributes.h"
#include "firstlight_abi.h"

/// A note that marks each image with a copy of the runtime; its contents, 8 bytes, are how far from
/// them the copy's `struct fl_control` is.
#define FL_NOTE_NAME "Firstlight"
#define FL_NOTE_TYPE 1

/// Calls `visit` with the contents of each such note of all images of the process, the executable's
/// first, until it returns not 0. Holds the loader's lock meanwhile; not async-signal-safe.
FL_HIDDEN void fl_image_notes(int (*visit)(const char *contents, void *context), void *context);

/// Calls `work` while no other thread is in fl_image_notes, and no image comes or goes.
FL_HIDDEN void fl_image_alone(void (*work)(void));

/// Whether `address` lies in the executable, as opposed to a shared library.
FL_HIDDEN bool fl_image_is_executable(const void *address);

/// Whether an image binds a function of this name from another one. The first question asks all
/// images, later ones only once images have come since.
FL_HIDDEN bool fl_image_any_binds(const char *name);

/// Fills build id, path, load bias, start and size of the image that `address` lies in. Leaves them
/// zero if no image holds it.
FL_HIDDEN void fl_image_describe(struct fl_segment_header *header, const void *address);

#endif
