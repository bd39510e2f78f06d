// The used part of libIndexStore's interface (indexstore/indexstore.h, version 0). The library
// reads the index that swiftc and clang write during a build (`-index-store-path`). It belongs to a
// toolchain, and is loaded at first use.
#ifndef FIRSTLIGHT_INDEX_STORE_H
#define FIRSTLIGHT_INDEX_STORE_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct ix_text {
  const char *bytes;
  size_t size;
};

typedef void *ix_object;
typedef bool (*ix_take_text)(void *context, struct ix_text text);
typedef bool (*ix_take_object)(void *context, ix_object object);

// Result, name without `indexstore_`, parameters.
#define IX_FUNCTIONS(F)                                                                      \
  F(unsigned, version, (void))                                                               \
  F(const char *, error_get_description, (ix_object error))                                  \
  F(void, error_dispose, (ix_object error))                                                  \
  F(ix_object, store_create, (const char *path, ix_object *error))                           \
  F(void, store_dispose, (ix_object store))                                                  \
  F(bool, store_units_apply_f, (ix_object store, unsigned sorted, void *, ix_take_text))     \
  F(ix_object, unit_reader_create, (ix_object store, const char *name, ix_object *error))    \
  F(void, unit_reader_dispose, (ix_object unit))                                             \
  F(void, unit_reader_get_modification_time, (ix_object unit, int64_t *, int64_t *))         \
  F(bool, unit_reader_is_system_unit, (ix_object unit))                                      \
  F(bool, unit_reader_is_module_unit, (ix_object unit))                                      \
  F(bool, unit_reader_is_debug_compilation, (ix_object unit))                                \
  F(bool, unit_reader_has_main_file, (ix_object unit))                                       \
  F(struct ix_text, unit_reader_get_main_file, (ix_object unit))                             \
  F(struct ix_text, unit_reader_get_module_name, (ix_object unit))                           \
  F(struct ix_text, unit_reader_get_output_file, (ix_object unit))                           \
  F(struct ix_text, unit_reader_get_working_dir, (ix_object unit))                           \
  F(bool, unit_reader_dependencies_apply_f, (ix_object unit, void *, ix_take_object))        \
  F(int, unit_dependency_get_kind, (ix_object dependency))                                   \
  F(bool, unit_dependency_is_system, (ix_object dependency))                                 \
  F(struct ix_text, unit_dependency_get_name, (ix_object dependency))                        \
  F(struct ix_text, unit_dependency_get_filepath, (ix_object dependency))                    \
  F(ix_object, record_reader_create, (ix_object store, const char *name, ix_object *error))  \
  F(void, record_reader_dispose, (ix_object record))                                         \
  F(bool, record_reader_symbols_apply_f, (ix_object record, bool, void *, ix_take_object))   \
  F(bool, record_reader_occurrences_apply_f, (ix_object record, void *, ix_take_object))     \
  F(ix_object, occurrence_get_symbol, (ix_object occurrence))                                \
  F(uint64_t, occurrence_get_roles, (ix_object occurrence))                                  \
  F(void, occurrence_get_line_col, (ix_object occurrence, unsigned *line, unsigned *column)) \
  F(bool, occurrence_relations_apply_f, (ix_object occurrence, void *, ix_take_object))      \
  F(ix_object, symbol_relation_get_symbol, (ix_object relation))                             \
  F(uint64_t, symbol_relation_get_roles, (ix_object relation))                               \
  F(int, symbol_get_kind, (ix_object symbol))                                                \
  F(int, symbol_get_language, (ix_object symbol))                                            \
  F(uint64_t, symbol_get_properties, (ix_object symbol))                                     \
  F(struct ix_text, symbol_get_usr, (ix_object symbol))                                      \
  F(struct ix_text, symbol_get_name, (ix_object symbol))

struct fl_index_library {
#define IX_DECLARE(result, name, parameters) result(*name) parameters;
  IX_FUNCTIONS(IX_DECLARE)
#undef IX_DECLARE
};

// A result of `unit_dependency_get_kind`.
enum { IX_DEPENDENCY_IS_RECORD = 2 };

// Size of failure messages.
enum { FL_INDEX_WHY = 512 };

// Loads a library, which the loader selects if `path` has no slash. Never unloads it. NULL if that
// fails or the library has another interface; `why` then contains the reason.
const struct fl_index_library *fl_index_open(const char *path, char *why);
#endif
