// The process file: the identity of this process, and the sequence counter that its images share.
#ifndef FL_PROCESS_H
#define FL_PROCESS_H

#include "attributes.h"
#include "firstlight_abi.h"

/// Maps this process's file, and creates it if no other image has. Null on failure, with errno. The
/// mapping lives as long as the process. `forked_from`: the parent's header, if a recorded process
/// forked this one. A new process starts paused if FIRSTLIGHT_PAUSED is set, a forked one if its
/// parent was paused.
FL_HIDDEN struct fl_process_header *fl_process_open(const struct fl_process_header *forked_from);

/// A digest of the kernel's 16 random bytes for each exec, and of the pid namespace, since forked
/// children in different namespaces may have the same pid. It is the same in all images of a
/// process and changes with each exec. One-way: the bytes are also the stack protector's secret.
FL_HIDDEN uint64_t fl_process_key(uint32_t namespace);

#endif
