// Marks and spans: what the rest of the runtime asks of them.
#ifndef FL_MARKS_H
#define FL_MARKS_H

#include <stdbool.h>

#include "attributes.h"

struct fl_marks {
  /// Gets ready to take marks: this process is to be recorded.
  void (*wake)(void);
  /// In a forked child of a process with marks: makes the child's file.
  void (*fork)(void);
  /// Forgets all marks so far.
  void (*forget)(void);
  /// Waits until they are on the storage. False: `errno` says why.
  bool (*flush)(void);
  /// Gives the mapping back: the image is being unloaded.
  void (*unload)(void);
};

/// Null in an image that sets no marks, and so was not linked with them: their constructor sets it.
/// No weak symbol, since linkers differ in what the address of one is that is not there.
extern __attribute__((visibility("hidden"))) const struct fl_marks *fl_marks;

#endif
