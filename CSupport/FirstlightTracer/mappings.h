// The files that a process has mapped, from /proc/PID/maps.
#ifndef FL_TRACER_MAPPINGS_H
#define FL_TRACER_MAPPINGS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/// A file that a process has mapped as executable.
struct fl_mapping {
  uint64_t start;  // where the file's first byte is mapped
  uint64_t end;    // end of the file's last mapping
  uint64_t inode;
  bool is_shared;  // MAP_SHARED: what is written there changes the file
  char *path;  // in the text it was parsed from
};

/// Parses the next executable file from the text of /proc/PID/maps, and moves `text` forward.
/// Changes the text. False at the end. `memory`: the process's memory. ELF headers there show
/// where an image ends, so that two copies of a file side by side stay apart.
bool fl_next_mapping(char **text, struct fl_mapping *mapping, int memory);

/// Whether code of the file with this inode is mapped shared between these addresses.
bool fl_code_is_shared(pid_t pid, uint64_t inode, uint64_t low, uint64_t high);

/// Whether an address is in a mapping of a file.
bool fl_mapping_has_file(pid_t pid, uint64_t address);

/// The mapping that contains an address, from `low` to `high`. For a stack that can grow, `low` is
/// the end of the previous mapping.
bool fl_mapping_around(pid_t pid, uint64_t address, uint64_t *low, uint64_t *high);

#endif
