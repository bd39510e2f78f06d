// The files that a process has mapped, as /proc/PID/maps lists them.
#ifndef FL_TRACER_MAPPINGS_H
#define FL_TRACER_MAPPINGS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/// A file that a process has mapped as executable.
struct fl_mapping {
  uint64_t start;  // where its first byte is mapped
  uint64_t end;    // end of its last mapping
  uint64_t inode;
  char *path;  // in the text it was read from
};

/// Takes the next executable file off the text of /proc/PID/maps, which it changes. `text` moves
/// on. False at the end.
bool fl_next_mapping(char **text, struct fl_mapping *mapping);

/// The mapping that contains an address, from `low` to `high`. A stack that can grow begins at the
/// end of the mapping before it.
bool fl_mapping_around(pid_t pid, uint64_t address, uint64_t *low, uint64_t *high);

#endif
