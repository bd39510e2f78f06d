// Keeps a reader of mapped files alive when one of them is truncated: the kernel answers a read
// beyond the file's new end with SIGBUS. Swift cannot catch it, and copies of all files would cost
// memory.
#ifndef FIRSTLIGHT_MAPPED_FILE_GUARD_H
#define FIRSTLIGHT_MAPPED_FILE_GUARD_H

#include <stdbool.h>
#include <stddef.h>

/// A guarded mapping. This module owns its memory, which is reused but never freed.
struct fl_guarded_mapping;

/// Guards a private, readable and writable mapping: from now on, pages beyond the end of the file
/// read as zeros. Other SIGBUS signals are handled as before. Null without a guard, if there is not
/// enough memory.
struct fl_guarded_mapping *_Nullable fl_guard_mapping(void *_Nonnull start, size_t size);

/// Whether pages of the mapping were replaced by zeros.
bool fl_guarded_mapping_lost_pages(const struct fl_guarded_mapping *_Nonnull mapping);

/// Ends the guard. To be called before munmap; `mapping` is invalid afterwards.
void fl_unguard_mapping(struct fl_guarded_mapping *_Nonnull mapping);

#endif
