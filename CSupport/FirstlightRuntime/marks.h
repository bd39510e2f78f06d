// Marks and spans, as the rest of the runtime calls them: through fl_image_state.marks.
#ifndef FL_MARKS_H
#define FL_MARKS_H

#include <stdbool.h>

struct fl_marks {
  /// Prepares for marks: this process is to be recorded.
  void (*start)(void);
  /// In a forked child: empties what the kernel should have emptied.
  void (*wipe)(void);
  /// In a forked child of a process with marks: creates the child's file.
  void (*fork)(void);
  /// Forgets all marks so far.
  void (*forget)(void);
  /// Waits until all marks are on the storage. False: `errno` says why.
  bool (*flush)(void);
  /// Unmaps the file: the image is being unloaded.
  void (*unload)(void);
};

#endif
