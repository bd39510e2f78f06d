// What image the runtime's copy is in.
#ifndef FL_IMAGE_H
#define FL_IMAGE_H

#include "attributes.h"
#include "firstlight_abi.h"

/// Fills build id, path, load bias, start and size of the image that `address` lies in. Leaves them
/// zero if no image holds it.
FL_HIDDEN void fl_image_describe(struct fl_segment_header *header, const void *address);

#endif
