// Marks and spans: the interface for the rest of the runtime, in fl_image_state.marks.
#ifndef FL_MARKS_H
#define FL_MARKS_H

#include "firstlight_abi.h"

struct fl_marks {
  /// Prepares for marks, if this process is to be recorded.
  void (*start)(void);
  /// In a forked child: clears memory that the kernel failed to clear.
  void (*wipe)(void);
  /// In a forked child of a process with marks: creates the child's file.
  void (*fork)(void);
  /// The mapped file; null if this process has set no mark.
  struct fl_marks_header *(*file)(void);
  /// Unmaps the file, before the image is unloaded.
  void (*unload)(void);
};

#endif
