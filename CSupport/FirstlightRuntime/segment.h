// The segment: the file that this image's first calls are written to.
#ifndef FL_SEGMENT_H
#define FL_SEGMENT_H

#include "attributes.h"
#include "firstlight_abi.h"

/// A segment's size in bytes.
FL_HIDDEN unsigned long fl_segment_size(void);

/// Creates a segment for the current process. `model`: the header of an earlier segment to copy the
/// image's identity from, or null to ask the loader. `place`: a discarded segment to map it over,
/// or null. `number` receives the segment's. Null: `errno` says why, and the process file counts
/// it.
FL_HIDDEN struct fl_segment_header *fl_segment_create(const struct fl_segment_header *model,
                                                      void *place, uint32_t *number);

/// Removes a segment's file, and replaces its mapping by memory that discards what threads that are
/// still in a first call write there.
FL_HIDDEN void fl_segment_discard(struct fl_segment_header *segment, uint32_t number);

/// Notes in a segment where the PC table is. Null: there is no segment.
FL_HIDDEN void fl_segment_set_pcs(struct fl_segment_header *segment);

/// Counts a segment of a forked child that has no process file to count it in.
FL_HIDDEN void fl_segment_count_lost_child(struct fl_process_header *parent, int error);

#endif
