// Addresses that hooks pass and that are not those of this image's functions.
//
// The address that a library's function passes to its hook comes from a slot that the loader fills:
// another image may define a function of that name too, or a program at a fixed address may have
// taken the function's address, which is then that of an entry in the program's linkage table.
// Copies of functions that another image defines pass that function's address, or such an entry's.
#ifndef FL_SHOWN_ADDRESSES_H
#define FL_SHOWN_ADDRESSES_H

#include <stdint.h>

#include "attributes.h"
#include "image.h"

/// Run-time addresses: the one that is passed, and that of the image's own function; 0 if the
/// function belongs to an image without a copy of the runtime.
struct fl_shown {
  uintptr_t shown, own;
};

/// Finds these functions. Returns their number, and sorts as many as there is room for into
/// `table`, where fl_shown_at() then finds them.
FL_HIDDEN uintptr_t fl_shown_find(const struct fl_image_code *code, struct fl_shown *table,
                                  uintptr_t room);

/// What a passed address stands for; null if it is unknown.
FL_HIDDEN const struct fl_shown *fl_shown_at(uintptr_t shown);

#endif
