// Reads the index that swiftc and clang write beside a build (`-index-store-path`), with the
// libIndexStore of a toolchain, which is loaded when it is first needed.
//
// The library expects files that a compiler wrote, and may end the process over any other. So child
// processes read, and send what they read through pipes; in C because Swift cannot call fork.
#ifndef FIRSTLIGHT_INDEX_STORE_H
#define FIRSTLIGHT_INDEX_STORE_H
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct fl_index_library;

// Size of the texts that say why something failed.
enum { FL_INDEX_WHY = 512 };

// Loads a library, or the loader's own choice if `path` has no slash. Never unloaded. NULL if that
// is not possible, or if its interface is not the one known here; then `why` tells.
struct fl_index_library *_Nullable fl_index_open(const char *_Nonnull path, char *_Nonnull why);

// The most bytes of a frame: a million occurrences. What claims more is damaged.
enum { FL_INDEX_LARGEST_FRAME = 64 << 20 };

// What a child sends is a row of frames. Numbers are 32 bits, in the machine's own order. A text is
// its size and its bytes, filled up with zeros to a multiple of four.
struct fl_index_frame {
  uint32_t kind;  // enum fl_index_frame_kind
  uint32_t size;  // bytes that follow
};

enum fl_index_frame_kind {
  // Flags (enum fl_index_unit_flag); seconds since 1970 as two numbers, low one first; nanoseconds;
  // texts: unit, main file, module, output file, working directory; number of records, and for each
  // texts: record, file; and whether it is the system's.
  FL_INDEX_UNIT = 1,
  // Index among those asked for. Number of symbols, and for each: kind, language,
  // properties, texts: USR, name. Number of occurrences, and for each: symbol, roles, line, number
  // of relations, and for each of these: symbol, roles.
  FL_INDEX_RECORD = 2,
  // Index among the records asked for, or the number of units read before; text: why it could not
  // be read.
  FL_INDEX_FAILURE = 3,
  // All has been sent. A child that ends without it was ended by what it read.
  FL_INDEX_END = 4,
};

enum fl_index_unit_flag {
  FL_INDEX_UNIT_IS_SYSTEM = 1,
  FL_INDEX_UNIT_IS_MODULE = 2,
  FL_INDEX_UNIT_IS_DEBUG = 4,
  FL_INDEX_UNIT_HAS_MAIN_FILE = 8,
};

// Starts a child that sends all units of a store. Returns its process id and gives the pipe to read
// from, for the caller to close; or returns -1 and sets errno.
pid_t fl_index_send_units(const struct fl_index_library *_Nonnull library,
                          const char *_Nonnull store, int *_Nonnull output);

// Starts a child that sends records of a store, each asked for by name: those at `first`,
// `first + step` and so on. As above.
pid_t fl_index_send_records(const struct fl_index_library *_Nonnull library,
                            const char *_Nonnull store, const char *_Nullable const *_Nonnull names,
                            size_t count, size_t first, size_t step, int *_Nonnull output);

// Ends a child that is still there, and waits for it.
void fl_index_end(pid_t child);
#endif
