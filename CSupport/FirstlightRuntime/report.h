// Reports of failures: one line on standard error, or a notice in the process file.
#ifndef FL_REPORT_H
#define FL_REPORT_H

#include <stdbool.h>

#include "attributes.h"
#include "firstlight_abi.h"

/// The file behind standard error when this image was started: a program may close it and open a
/// database under its number.
struct fl_standard_error {
  uint64_t device, inode;  // both 0 if there was none
};

/// Records standard error, and whether FIRSTLIGHT_QUIET forbids the line.
FL_HIDDEN void fl_report_prepare(void);

FL_HIDDEN struct fl_standard_error fl_report_standard_error(void);

/// Writes "firstlight: <what>: <reason>" to standard error, if it is still the same file as at
/// start and the write does not block. Never causes a signal. False if not written. `process` may
/// be null.
FL_HIDDEN bool fl_report_line(const struct fl_process_header *process, const char *what, int error);

/// Tells a tool that reads the directory that this process cannot write there, by a datagram to an
/// abstract socket with the directory's name. `key`: the same for all images of the process.
FL_HIDDEN void fl_report_missing(const char *directory, uint64_t key);

/// Adds a notice for tools to the process file: an FL_NOTICE_... with its errno, or 0.
FL_HIDDEN void fl_report_notice(struct fl_process_header *process, uint32_t notice, int error);

/// Writes the line, unless one was already written for this process and its forks. Adds the notice
/// if the line cannot be written.
FL_HIDDEN void fl_report(struct fl_process_header *process, uint32_t notice, const char *what,
                         int error);

#endif
