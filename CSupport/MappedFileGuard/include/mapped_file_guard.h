// Keeps a reader of mapped files alive when one of them is cut short: the kernel answers a read
// beyond the file's new end with SIGBUS. Swift has no way to catch it, and a copy of each file
// would cost its size.
#ifndef FIRSTLIGHT_MAPPED_FILE_GUARD_H
#define FIRSTLIGHT_MAPPED_FILE_GUARD_H

#include <stdbool.h>
#include <stddef.h>

/// A mapping that is guarded. Its memory belongs to this module, is never freed and serves again.
struct fl_guarded_mapping;

/// Guards a mapping that is private, readable and writable: from now on a page of it that the file
/// has no longer reads as zeros. All other SIGBUS go where they went before. Null: no memory, so it
/// is not guarded.
struct fl_guarded_mapping *_Nullable fl_guard_mapping(void *_Nonnull start, size_t size);

/// Whether pages of the mapping were replaced by zeros.
bool fl_guarded_mapping_lost_pages(const struct fl_guarded_mapping *_Nonnull mapping);

/// Ends the guard. Call it before munmap, and use `mapping` no more.
void fl_unguard_mapping(struct fl_guarded_mapping *_Nonnull mapping);

#endif
