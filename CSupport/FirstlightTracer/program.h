// The executable of a process, and the load bias of its images.
#ifndef FL_TRACER_PROGRAM_H
#define FL_TRACER_PROGRAM_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/// The executable's path, with a NUL; false with errno.
bool fl_program_path(pid_t pid, char *path, uint32_t capacity);

/// A path that leads to the executable: `path`, if that is the same file, or `link`, which is
/// filled in.
const char *fl_program_link(pid_t pid, const char *path, char link[32]);

/// The inode of a file, or of the executable of a process; 0 if unknown.
uint64_t fl_inode(const char *path);
uint64_t fl_program_inode(pid_t pid);

/// Run-time minus link-time address of the executable; false if it cannot be traced.
bool fl_program_bias(pid_t pid, uint64_t *bias);

/// The load bias of an image that is mapped at `start`, from its headers in memory.
bool fl_image_bias(int memory, uint64_t start, uint64_t *bias);

/// Where an image that is mapped at `start` ends, from its headers in memory; 0 if it has none.
uint64_t fl_image_end(int memory, uint64_t start);

#endif
