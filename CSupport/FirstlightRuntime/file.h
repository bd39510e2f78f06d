// The files of a process: their names, how they are made and found.
#ifndef FL_FILE_H
#define FL_FILE_H

#include "attributes.h"
#include "firstlight_abi.h"

/// Room for FIRSTLIGHT_DIR, and for a path in it.
enum { FL_DIRECTORY_MAX = 3072, FL_FILE_MAX = FL_DIRECTORY_MAX + 160 };

/// Writes the path of a process's file with this suffix to `name`, FL_FILE_MAX bytes.
FL_HIDDEN void fl_process_file_name(char *name, const struct fl_process_id *id, const char *suffix);

/// Writes the path of a process's segment with this number to `name`, FL_FILE_MAX bytes.
FL_HIDDEN void fl_segment_file_name(char *name, const struct fl_process_id *id, unsigned number);

/// Makes `size` bytes of file under a temporary name, really allocated so that a full file system
/// shows here and not as SIGBUS later, and maps them shared. Null: `errno` says why.
/// `temporary`, FL_FILE_MAX bytes, gets the name; the caller renames or removes it.
FL_HIDDEN void *fl_file_make(char *temporary, const struct fl_process_id *id, unsigned number,
                             unsigned long size);

/// Gives a file that was made its name, for all images of the process to share: if another was
/// faster, maps that one's instead. Null: not possible; `errno` says why. The temporary name goes
/// in any case.
FL_HIDDEN void *fl_file_share(void *made, const char *temporary, const char *name,
                              unsigned long size);

/// Maps a file that another image of this process has made. Null: `errno` says why; ENOENT: none
/// has.
FL_HIDDEN void *fl_file_map(const char *name, unsigned long size);

#endif
