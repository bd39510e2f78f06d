// A watched address space: its images, and its breakpoints other than those on functions.
#ifndef FL_TRACER_SPACE_H
#define FL_TRACER_SPACE_H

#include "arch.h"
#include "include/firstlight_tracer.h"
#include "mapped_image.h"
#include "record.h"
#include "return_sites.h"

/// A mapping of a file with code.
struct fl_code_range {
  uint64_t start, end;
};

/// An address space. The tasks that live in it own it; the last one to leave frees it.
struct fl_space {
  uint32_t tasks;
  uint32_t ending;  // number of these that have begun to end
  uint64_t lineage;  // equal for all processes forked from one exec; 0: unknown
  struct fl_space *next;  // in the tracer's list of departed spaces
  int memory;  // descriptor of /proc/PID/mem; -1: nothing is watched here
  uint32_t image_count;
  struct fl_mapped_image *images;
  bool is_restored;  // all breakpoints are being removed; no new ones are written
  bool is_clear;  // all breakpoints are removed
  bool is_copy_reported;  // FL_TRACER_CODE_COPIED was reported
  bool is_given_up;  // its breakpoints were removed to save its children
  uint64_t loader;  // run-time address of the loader's function; 0: none
  uint8_t loader_saved[FL_BREAKPOINT_MAX];
  /// SIGTRAP was ignored at the program's start. The kernel resets that at a breakpoint.
  bool ignores_trap;
  struct fl_record *record;  // owned by the records; NULL: nothing is recorded yet
  // Present if the host's flags ask for them.
  struct fl_return_sites returns;
  struct fl_code_range *code;  // code of files; return breakpoints are only written there
  uint32_t code_count;
  int statistics;  // descriptor of /proc/PID/stat; -1: not opened
  uint64_t loader_state;  // run-time address of the loader's `struct r_debug`; 0: unknown
  uint32_t loader_notifications;  // number of notifications about libraries
  struct fl_origin origin;
};

struct fl_space *fl_space_make(void);
void fl_space_leave(struct fl_space *space);

/// Whether functions are watched here, now or once the memory is opened.
bool fl_space_is_watched(const struct fl_space *space);

/// Closes the descriptors of a space.
void fl_space_close(struct fl_space *space);

/// Gives up a space without breakpoints: its tasks are not watched any more.
void fl_space_forget(struct fl_space *space);

/// The space of a forked child: the same breakpoints in a memory of its own, which is not yet
/// opened. NULL if memory is exhausted.
struct fl_space *fl_space_copy(const struct fl_space *parent);

/// Opens the memory of a copied space to continue watching. False with errno.
bool fl_space_open(struct fl_space *space, pid_t child);

/// The record of a space, created if necessary; NULL if memory is exhausted.
struct fl_record *fl_space_record(struct fl_space *space, struct fl_records *records);

/// Adds an image without planting breakpoints. NULL if memory is exhausted; otherwise valid until
/// the next call.
struct fl_mapped_image *fl_space_add(struct fl_space *space, const struct fl_tracer_sites *sites,
                                     uint64_t bias);

/// Writes the breakpoint on the loader's function.
int fl_space_plant_loader(struct fl_space *space, uint64_t address, pid_t thread);

/// Removes every breakpoint that is still in memory, for good. States do not change. False with
/// errno if some are left; may be repeated. Without opened memory, uses ptrace, and `thread` must
/// be stopped.
bool fl_space_restore(struct fl_space *space, pid_t thread);

/// The image of the watched function that starts at a run-time address; NULL if there is none.
struct fl_mapped_image *fl_space_find(struct fl_space *space, uint64_t address, uint32_t *function);

/// Writes or removes a return breakpoint. Planting fails at the place of another breakpoint.
bool fl_space_plant_return(struct fl_space *space, struct fl_return_site *site, pid_t thread);
void fl_space_restore_return(struct fl_space *space, struct fl_return_site *site, pid_t thread);

/// Whether a run-time address is in the code of a file.
bool fl_space_is_code(const struct fl_space *space, uint64_t address);

/// Page faults so far; 0 if unknown.
struct fl_tracer_faults fl_space_faults(struct fl_space *space, pid_t process);

/// Whether a breakpoint instruction is in memory at a run-time address.
bool fl_space_has_breakpoint(const struct fl_space *space, uint64_t address);

#endif
