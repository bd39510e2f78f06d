// An image mapped into a process, with the breakpoints on its functions.
#ifndef FL_TRACER_MAPPED_IMAGE_H
#define FL_TRACER_MAPPED_IMAGE_H

#include "arch.h"
#include "include/firstlight_tracer.h"

/// The state of a function's breakpoint. A forked child starts with a copy of its parent's memory,
/// shortly before the tracer learns of the child. Breakpoints that were removed in the parent
/// meanwhile may still be in the child's copy: INHERITED.
enum fl_site {
  FL_SITE_NONE,  // never written: not readable, or the program's own breakpoint; or not there any
                 // more
  FL_SITE_PLANTED,  // written and not hit
  FL_SITE_TAKEN,  // hit and removed
  FL_SITE_INHERITED,  // removed in the parent; may still be in memory
};

struct fl_mapped_image {
  struct fl_tracer_sites sites;  // empty if the host does not want this file
  uint64_t bias;
  uint64_t start, inode;  // identify its mapping
  bool is_shared;  // as is_shared of struct fl_mapping
  bool is_program;
  bool is_mapped;
  uint8_t *states;  // an fl_site for each function; owned
  uint8_t *saved;  // fl_breakpoint_size bytes for each function; owned
  uint32_t planted;  // functions from this one on have no breakpoints yet
};

// `memory`: a descriptor of /proc/PID/mem. `thread`: a stopped thread that uses that memory.

/// Initializes an image without planting breakpoints. False if memory is exhausted.
bool fl_mapped_image_make(struct fl_mapped_image *image, const struct fl_tracer_sites *sites,
                          uint64_t bias);
void fl_mapped_image_free(struct fl_mapped_image *image);

/// Copies states and saved bytes of a parent's image to a forked child's.
void fl_mapped_image_inherit(struct fl_mapped_image *image, const struct fl_mapped_image *from);

/// Writes the breakpoints in state PLANTED of the functions before `end` that have none yet, in as
/// few writes as possible. Returns 0 or an errno. Functions whose breakpoints cannot be written are
/// not watched. `thread` may run: a breakpoint replaces an instruction at once.
int fl_mapped_image_plant(struct fl_mapped_image *image, uint32_t end, int memory, pid_t thread);

/// Finds the functions without a hit whose breakpoints are not in memory any more, although code
/// is: the process has given back the pages, or written there. Their state becomes NONE. `found` is
/// called for each.
void fl_mapped_image_check(struct fl_mapped_image *image, int memory,
                           void (*found)(void *context, uint32_t image, uint32_t function),
                           void *context);

/// Removes every breakpoint that is still in memory. States do not change. `memory` -1: uses
/// ptrace, word by word. False with errno if a breakpoint could not be removed.
bool fl_mapped_image_restore(struct fl_mapped_image *image, int memory, pid_t thread);

/// Removes the breakpoint of one function.
bool fl_mapped_image_restore_site(const struct fl_mapped_image *image, uint32_t function,
                                  int memory, pid_t thread);

/// Writes the breakpoint of a function again, if it was hit or stepped over.
void fl_mapped_image_replant_site(struct fl_mapped_image *image, uint32_t function, int memory,
                                  pid_t thread);

/// Finds the watched function that starts at a run-time address.
bool fl_mapped_image_find(const struct fl_mapped_image *image, uint64_t address,
                          uint32_t *function);

#endif
