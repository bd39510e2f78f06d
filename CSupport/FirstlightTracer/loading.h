// The loader's work, from exec until all relocations are done, as its system calls show it.
#ifndef FL_TRACER_LOADING_H
#define FL_TRACER_LOADING_H

#include "tracer.h"

/// Called with a thread at the beginning or the end of a system call.
void fl_system_call(struct fl_tracer *tracer, struct fl_task *task);

/// Records a moment, if the host asks for moments.
void fl_moment_note(struct fl_tracer *tracer, struct fl_task *task,
                    enum fl_tracer_moment_kind kind);

/// Called when a thread has ended relocating.
void fl_relocation_ended(struct fl_task *task);

/// Called when the loader notifies that libraries are about to change, or have changed.
void fl_loader_notified(struct fl_tracer *tracer, struct fl_task *task);

#endif
