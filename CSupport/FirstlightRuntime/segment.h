// The segment: the file of this image's first calls.
#ifndef FL_SEGMENT_H
#define FL_SEGMENT_H

#include "attributes.h"
#include "firstlight_abi.h"

/// A segment's size in bytes.
FL_HIDDEN unsigned long fl_segment_size(void);

/// Creates a segment for the current process. `model`: the header of an earlier segment to copy the
/// image's identity from, or null to query the loader. `number` receives the segment's number. Null
/// on failure, with errno; the process file then counts it.
FL_HIDDEN struct fl_segment_header *fl_segment_create(const struct fl_segment_header *model,
                                                      uint32_t *number);

/// Counts a lost segment of a forked child without process file.
FL_HIDDEN void fl_segment_count_lost_child(struct fl_process_header *parent, int error);

#endif
