// The files of a process in FIRSTLIGHT_DIR: names, creation, mapping. To be called in a critical
// section.
#ifndef FL_FILE_H
#define FL_FILE_H

#include <stdbool.h>

#include "attributes.h"
#include "environment.h"
#include "firstlight_abi.h"

/// Maximum size of a path in FIRSTLIGHT_DIR.
enum { FL_FILE_MAX = FL_DIRECTORY_MAX + 160 };

/// Writes the path of a process's file with this suffix to `name`, FL_FILE_MAX bytes.
FL_HIDDEN void fl_process_file_name(char *name, const struct fl_process_id *id, const char *suffix);

/// Writes the path of a process's segment with this number to `name`, FL_FILE_MAX bytes.
FL_HIDDEN void fl_segment_file_name(char *name, const struct fl_process_id *id, unsigned number,
                                    const char *suffix);

/// Whether RLIMIT_FSIZE allows a file of this size: a larger one would cause SIGXFSZ.
FL_HIDDEN bool fl_file_size_allowed(unsigned long size);

/// Creates a file of `size` bytes under a temporary name and maps it shared. Allocates the bytes,
/// so that a full file system is an error here and not a SIGBUS later. Null on failure, with errno.
/// `temporary`, FL_FILE_MAX bytes, receives the name; the caller renames or removes it.
FL_HIDDEN void *fl_file_create(char *temporary, const struct fl_process_id *id, unsigned number,
                               unsigned long size);

/// Gives a created file its final name, for all images of the process to share. If another image
/// was faster, maps that image's file instead. Null on failure, with errno. Removes the temporary
/// name in any case.
FL_HIDDEN void *fl_file_share(void *created, const char *temporary, const char *name,
                              unsigned long size);

/// Maps a file that another image of this process has created. Null on failure, with errno; ENOENT
/// if the file does not exist.
FL_HIDDEN void *fl_file_map(const char *name, unsigned long size);

/// Maps a mapped file a second time, without its name. Null on failure, with errno.
FL_HIDDEN void *fl_file_map_again(void *start, unsigned long size);

#endif
