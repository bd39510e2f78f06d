// How the copies of the runtime in a process's images find each other: by a note in each image.
// Nothing of it lies in a shared file, which another process could write to.
#ifndef FL_CONTROL_H
#define FL_CONTROL_H

#include <stdbool.h>
#include <stdint.h>

#include "attributes.h"
#include "firstlight_abi.h"

// One for each copy of the runtime. Copies of other versions are left alone.
struct fl_control {
  // 0 until the image's constructor has run: the loader shows an image to others before it
  // has relocated it, so what is below may not be read yet.
  uint32_t version;
  uint32_t said;   // a line has been written to standard error
  uint32_t state;  // whether exit was called, as far as the executable's copy knows
  uint32_t reserved;
  // Each acts on its own image.
  bool (*start)(const char *directory);
  void (*pause)(bool paused);
  bool (*reset)(void);
  bool (*flush)(void);
  struct fl_process_header *(*process)(void);  // null: not being recorded
  const char *(*directory)(void);
  void (*survive)(void);
};

/// Calls `visit` with each published copy, the executable's first, until it returns true. Holds the
/// loader's lock meanwhile; not async-signal-safe.
FL_HIDDEN void fl_control_visit(bool (*visit)(struct fl_control *control, void *context),
                                void *context);

/// Whether nobody in this process has said a line on standard error yet; from now on somebody has.
FL_HIDDEN bool fl_control_may_say(void);

/// Maps the process file again that another image of this process has mapped: where the program has
/// given up its rights, it could not be opened. Null: no other image has.
FL_HIDDEN struct fl_process_header *fl_control_share_process(void);

/// To be called once this image is being recorded.
FL_HIDDEN void fl_control_started(void);

#endif
