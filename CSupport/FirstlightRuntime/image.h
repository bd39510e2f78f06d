// The images of the process, as the loader lists them.
#ifndef FL_IMAGE_H
#define FL_IMAGE_H

#include <stdbool.h>
#include <stdint.h>

#include "attributes.h"
#include "firstlight_abi.h"

/// An ELF note in each image with a copy of the runtime. Its contents, 8 bytes, are the distance
/// from them to the copy's `struct fl_control`.
#define FL_NOTE_NAME "Firstlight"
#define FL_NOTE_TYPE 1

/// Calls `visit` with the contents of each such note in the process, the executable's first, until
/// it returns a nonzero value, and returns whether it did. Holds the loader's lock meanwhile; not
/// async-signal-safe.
FL_HIDDEN bool fl_image_notes(int (*visit)(const char *contents, void *context), void *context);

/// Whether `address` lies in an image with such a note.
FL_HIDDEN bool fl_image_has_runtime(const void *address);

/// Calls `work` with the loader's lock: meanwhile no other thread is in fl_image_notes, and no
/// image is loaded or unloaded.
FL_HIDDEN void fl_image_alone(void (*work)(void));

/// Whether `address` lies in the executable, as opposed to a shared library.
FL_HIDDEN bool fl_image_is_executable(const void *address);

/// Whether an image binds a function of this name from another one. Later calls search only if
/// images were loaded since the last search.
FL_HIDDEN bool fl_image_any_binds(const char *name);

/// Fills in build id, path, load bias, start and size of the image that contains `address`. Leaves
/// them zero if there is none.
FL_HIDDEN void fl_image_describe(struct fl_segment_header *header, const void *address);

/// An image's code, and its tables for it; zero where there is none.
struct fl_image_code {
  uintptr_t start, end;    // run-time addresses of its executable segments
  const uint8_t *frames;   // .eh_frame_hdr
  uintptr_t load_bias;
  const void *dynamic;     // the dynamic section
};

/// Describes the image that contains `address`. False if there is none.
FL_HIDDEN bool fl_image_code(struct fl_image_code *code, const void *address);

#endif
