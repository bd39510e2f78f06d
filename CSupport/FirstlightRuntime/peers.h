// The copies of the runtime in a process, one for each image. They find each other by ELF notes: a
// shared file would be writable by other processes.
#ifndef FL_PEERS_H
#define FL_PEERS_H

#include <stdbool.h>
#include <stdint.h>

#include "attributes.h"
#include "firstlight_abi.h"

/// Values of fl_control.version. Copies of other versions are ignored.
enum { FL_CONTROL_UNPUBLISHED = 0, FL_CONTROL_VERSION = 4 };

/// Receives a mapped file.
typedef void fl_take_file(void *start, unsigned long size, void *context);

/// The interface of a copy for the others.
struct fl_control {
  // 0 until the image's constructor has run. The loader lists an image before relocating it, so the
  // fields below must not be read earlier.
  uint32_t version;
  uint32_t reported;  // a line has been written to standard error
  // Each acts only on its own image.
  bool (*start)(const char *directory);
  void (*pause)(bool paused);
  void (*files)(fl_take_file *take, void *context);
  struct fl_process_header *(*process)(void);  // null if not recorded
  const char *(*directory)(void);
  void (*handle_faults)(void);
};

/// This image's copy, defined in control.c.
extern __attribute__((visibility("hidden"))) struct fl_control fl_control;

/// Calls `visit` with each published copy, the executable's first, until it returns true, and
/// returns whether it did. Holds the loader's lock meanwhile; not async-signal-safe.
FL_HIDDEN bool fl_peers_visit(bool (*visit)(struct fl_control *control, void *context),
                              void *context);

/// Publishes this image's copy.
FL_HIDDEN void fl_peers_publish(void);

/// Whether no image of this process has written a line to standard error yet. The caller must then
/// write one: the next call returns false.
FL_HIDDEN bool fl_peers_may_report(void);

/// Maps a process file again that another image of this process has mapped: after dropping
/// privileges, a program may be unable to open it. Null if no other image has mapped it.
FL_HIDDEN struct fl_process_header *fl_peers_share_process(void);

#endif
