// One address space that is watched: its images, and the state of each of their breakpoints.
#ifndef FL_TRACER_SPACE_H
#define FL_TRACER_SPACE_H

#include "arch.h"
#include "include/firstlight_tracer.h"
#include "record.h"
#include "return_sites.h"

/// What is known of a function's breakpoint. A forked child starts with a copy of its parent's
/// memory, made a moment before the tracer hears of it: by then the parent may have taken more
/// breakpoints back than the child's copy shows, which is what INHERITED is for.
enum fl_site {
  FL_SITE_NONE,       // never written: not readable, or the program's own breakpoint lies there
  FL_SITE_PLANTED,    // written and not hit
  FL_SITE_TAKEN,      // hit and taken back
  FL_SITE_INHERITED,  // taken back in the parent; may still be there
};

struct fl_mapped_image {
  struct fl_tracer_sites sites;  // none: the host does not want this file
  uint64_t bias;
  uint64_t start, inode;  // what its mapping is known by
  bool is_program;
  bool is_mapped;
  uint8_t *states;  // an fl_site for each function; this image's
  uint8_t *saved;   // fl_breakpoint_size bytes for each function; this image's
};

/// Where a file with code is mapped.
struct fl_code_range {
  uint64_t start, end;
};

/// Owned by the tasks that live in it; the last to leave frees it.
struct fl_space {
  uint32_t tasks;
  int memory;  // of /proc/PID/mem; -1: nothing is watched here
  uint32_t image_count;
  struct fl_mapped_image *images;
  bool is_restored;  // every breakpoint was taken back for good
  uint64_t loader;  // run-time address of the loader's function; 0: none
  uint8_t loader_saved[FL_BREAKPOINT_MAX];
  /// SIGTRAP was ignored when the program was started. A breakpoint makes the kernel forget that.
  bool ignores_trap;
  struct fl_record *record;  // the records'; NULL: nothing is recorded yet
  // As wished for.
  struct fl_return_sites returns;
  struct fl_code_range *code;  // of files; return breakpoints are written nowhere else
  uint32_t code_count;
  int statistics;  // /proc/PID/stat; -1: not opened
  uint64_t loader_state;  // run-time address of the loader's `struct r_debug`; 0: not known
  uint32_t loader_notifications;  // how often the loader has told of libraries
  struct fl_origin origin;
};

struct fl_space *fl_space_make(void);
void fl_space_leave(struct fl_space *space);

/// The space of a forked child: the same breakpoints in a memory of its own. NULL for want of
/// memory.
struct fl_space *fl_space_copy(const struct fl_space *parent, pid_t child);

/// Adds an image without planting anything. NULL for want of memory; else valid until the next
/// call.
struct fl_mapped_image *fl_space_add(struct fl_space *space, const struct fl_tracer_sites *sites,
                                     uint64_t bias);

/// Writes the breakpoints of an image that are not written and not hit yet, in as few writes as can
/// be. `thread`: a stopped thread of this space. Returns 0 or an errno; what could not be written
/// is not watched.
int fl_space_plant(struct fl_space *space, struct fl_mapped_image *image, pid_t thread);

/// Writes the breakpoint on the loader's function.
int fl_space_plant_loader(struct fl_space *space, uint64_t address, pid_t thread);

/// Takes back every breakpoint that is still in memory, once and for all. States stay as they are.
void fl_space_restore(struct fl_space *space, pid_t thread);

/// Takes back one.
bool fl_space_restore_site(struct fl_space *space, const struct fl_mapped_image *image,
                           uint32_t function, pid_t thread);

/// The function that starts at a run-time address; NULL if none that is watched does.
struct fl_mapped_image *fl_space_find(struct fl_space *space, uint64_t address, uint32_t *function);

/// Writes the breakpoint of one function again.
void fl_space_replant_site(struct fl_space *space, struct fl_mapped_image *image, uint32_t function,
                           pid_t thread);

/// Writes, or takes back, the breakpoint of a place that calls return to. Planting fails where
/// another breakpoint lies there.
bool fl_space_plant_return(struct fl_space *space, struct fl_return_site *site, pid_t thread);
void fl_space_restore_return(struct fl_space *space, struct fl_return_site *site, pid_t thread);

/// Whether a run-time address lies in the code of a file.
bool fl_space_is_code(const struct fl_space *space, uint64_t address);

/// Page faults so far; 0 if they cannot be had.
struct fl_tracer_faults fl_space_faults(struct fl_space *space, pid_t process);

/// Whether a breakpoint instruction is in memory at a run-time address.
bool fl_space_has_breakpoint(const struct fl_space *space, uint64_t address);

#endif
