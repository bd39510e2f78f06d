// What the runtime has to say to people: one line on standard error, or a note in the process file.
#ifndef FL_REPORT_H
#define FL_REPORT_H

#include <stdbool.h>

#include "attributes.h"
#include "firstlight_abi.h"

/// What standard error was when this image was started: a program may close it, and open a database
/// in its place.
struct fl_standard_error {
  uint64_t device, inode;  // 0 and 0: there was none
};

/// Notes it, and whether FIRSTLIGHT_QUIET forbids the line.
FL_HIDDEN void fl_report_prepare(void);

FL_HIDDEN struct fl_standard_error fl_report_standard_error(void);

/// "firstlight: <what>: <reason>" on standard error, if that is what it was at start and takes the
/// line without waiting. Never a signal, whoever listens there. False: it was not said. `process`:
/// null if there is none.
FL_HIDDEN bool fl_report_line(const struct fl_process_header *process, const char *what, int error);

/// Notes in the process file what tools are to tell: an FL_NOTICE_... with its errno, or 0.
FL_HIDDEN void fl_report_notice(struct fl_process_header *process, uint32_t notice, int error);

/// The line if nobody has said one for this process and those forked from it, or the note if it
/// cannot be said.
FL_HIDDEN void fl_report(struct fl_process_header *process, uint32_t notice, const char *what,
                         int error);

#endif
