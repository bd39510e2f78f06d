// The process file: who this process is, and the sequence counter that all its images share.
#ifndef FL_PROCESS_H
#define FL_PROCESS_H

#include <stdbool.h>

#include "attributes.h"
#include "firstlight_abi.h"

enum { FL_DIRECTORY_MAX = 3072, FL_FILE_MAX = FL_DIRECTORY_MAX + 160 };

/// Reads FIRSTLIGHT_DIR and whether to be quiet. False: this process is not to be recorded.
FL_HIDDEN bool fl_process_wanted(void);

/// Maps this process's file, making it if no other image has yet. Null: it cannot be made; `errno`
/// says why. The mapping lives as long as the process.
/// `forked_from`: the parent's header, if this process is a fork of a recording one.
FL_HIDDEN struct fl_process_header *fl_process_open(const struct fl_process_header *forked_from);

/// Writes the path of a process's file with this suffix to `name`, FL_FILE_MAX bytes.
FL_HIDDEN void fl_process_file_name(char *name, const struct fl_process_id *id, const char *suffix);

/// Writes the path of a process's segment with this number to `name`, FL_FILE_MAX bytes.
FL_HIDDEN void fl_segment_file_name(char *name, const struct fl_process_id *id, unsigned number);

/// Makes `size` bytes of file under a temporary name, really allocated so that a full file system
/// shows here and not as SIGBUS later, and maps them shared. Null: `errno` says why.
/// `temporary`, FL_FILE_MAX bytes, gets the name; the caller renames or removes it.
FL_HIDDEN void *fl_file_make(char *temporary, const struct fl_process_id *id, unsigned number,
                             unsigned long size);

/// One line to standard error, unless FIRSTLIGHT_QUIET is set: "firstlight: <what>: <reason>".
FL_HIDDEN void fl_complain(const char *what, int error);

FL_HIDDEN unsigned long long fl_clock(int clock);

#endif
