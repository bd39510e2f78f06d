// What /proc tells of a process.
#ifndef FL_TRACER_PROCESS_FILE_H
#define FL_TRACER_PROCESS_FILE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/// A number of /proc/PID/status, from the line that starts with `name`; 0 if there is none.
uint64_t fl_status_number(pid_t pid, const char *name, int base);

/// When a process started, in clock ticks since boot; 0 if unknown.
uint64_t fl_start_time(pid_t pid);

/// A whole file of /proc/PID, with a NUL behind it; its size in `size`. The caller frees it. NULL
/// with errno.
char *fl_process_text(pid_t pid, const char *name, uint32_t *size);

/// A number of the auxiliary vector (`AT_ENTRY`, ...); 0 if there is none.
uint64_t fl_auxiliary(pid_t pid, uint64_t type);

/// A file that a process has mapped with leave to execute.
struct fl_mapping {
  uint64_t start;  // where its first byte is mapped
  uint64_t end;    // end of its last mapping
  uint64_t inode;
  char *path;  // in the text it was read from
};

/// Takes the next executable file off the text of /proc/PID/maps, which it changes. `text` moves
/// on. False at the end.
bool fl_next_mapping(char **text, struct fl_mapping *mapping);

/// The mapping that an address lies in, from `low` to `high`; below a stack that can grow, from the
/// end of the mapping before it.
bool fl_mapping_around(pid_t pid, uint64_t address, uint64_t *low, uint64_t *high);

/// The executable's path, with a NUL; false with errno.
bool fl_program_path(pid_t pid, char *path, uint32_t capacity);

/// The inode of a file, or of the executable of a process; 0 if it cannot be had.
uint64_t fl_inode(const char *path);
uint64_t fl_program_inode(pid_t pid);

/// Run-time minus link-time address of the executable; false if it is none that can be traced.
bool fl_program_bias(pid_t pid, uint64_t *bias);

/// The same of an image mapped at `start`, by its headers in memory.
bool fl_image_bias(int memory, uint64_t start, uint64_t *bias);

#endif
