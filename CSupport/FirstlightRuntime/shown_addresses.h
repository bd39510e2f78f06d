// Functions of this image whose address is that of another image's code.
//
// The address that a library's function passes to its hook comes from a slot that the loader fills:
// another image may define a function of that name too, or a program at a fixed address may have
// taken the function's address, which is then that of an entry in the program's linkage table.
#ifndef FL_SHOWN_ADDRESSES_H
#define FL_SHOWN_ADDRESSES_H

#include <stdint.h>

#include "attributes.h"
#include "image.h"

/// Run-time addresses: the one in the slot, and that of the image's own function.
struct fl_shown {
  uintptr_t shown, own;
};

/// Finds these functions. Returns their number, and sorts them into `table` unless it is null,
/// where fl_shown_own() then finds them.
FL_HIDDEN uintptr_t fl_shown_find(const struct fl_image_code *code, struct fl_shown *table);

/// The address of the image's own function; 0 if it is unknown.
FL_HIDDEN uintptr_t fl_shown_own(uintptr_t shown);

#endif
