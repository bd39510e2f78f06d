// The process file: who this process is, and the sequence counter that all its images share.
#ifndef FL_PROCESS_H
#define FL_PROCESS_H

#include <stdbool.h>
#include <stddef.h>

#include "attributes.h"
#include "firstlight_abi.h"

/// Reads the environment. False: this process is not to be recorded.
FL_HIDDEN bool fl_process_wanted(void);

/// Says where to record to, in a process that the environment does not. False: `wanted` is no
/// absolute path that fits, or the process runs with more rights than its caller.
FL_HIDDEN bool fl_process_want(const char *wanted);

/// Where this process is recorded to; empty if it is not.
FL_HIDDEN const char *fl_process_directory(void);

/// Maps this process's file, making it if no other image has yet. Null: it cannot be made; `errno`
/// says why. The mapping lives as long as the process.
/// `forked_from`: the parent's header, if this process is a fork of a recording one.
/// A new process starts paused if FIRSTLIGHT_PAUSED says so, a forked one if its parent was.
FL_HIDDEN struct fl_process_header *fl_process_open(const struct fl_process_header *forked_from);

/// Reads at most `size` bytes of a small file. Returns how many, 0 if it cannot be read.
FL_HIDDEN size_t fl_process_read(const char *path, char *buffer, size_t size);

/// Whether this process has been given another root directory since it began to record.
FL_HIDDEN bool fl_process_is_moved(void);

FL_HIDDEN unsigned long long fl_clock(int clock);

#endif
