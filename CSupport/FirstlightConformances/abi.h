// The definitions of Swift's runtime on Linux that the table needs. From Swift's ABI documents
// (docs/ABI/TypeMetadata.rst, include/swift/ABI) of versions 6.0 to 6.3.
#ifndef FIRSTLIGHT_CONFORMANCES_ABI_H
#define FIRSTLIGHT_CONFORMANCES_ABI_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { FIRST_VERSION = 0x600, LAST_VERSION = 0x603 };

// A protocol conformance descriptor.
struct conformance {
  int32_t protocol;  // low bit set: through a pointer
  int32_t type;
  int32_t witnesses;
  uint32_t flags;
};

enum {
  TYPE_DIRECT = 0,  // kinds of a reference to a type, flags >> 3 & 7
  TYPE_INDIRECT = 1,
  // All flags that leave an unconditional conformance of a unique type to a protocol: the kind of
  // reference, retroactive, resilient witnesses, generic witness table, and a custom
  // isIsolatingCurrentContext. Others make it conditional, isolated, foreign, or unknown to us.
  PLAIN_FLAGS = 7 << 3 | 1 << 6 | 1 << 16 | 1 << 17 | 1 << 20,
  OF_PROTOCOL_FLAG = 1 << 18,  // such as that of `any Error` to Error
  UNKNOWN_FLAGS = 7 | 7 << 21,
};

// Type metadata, as words.
enum {
  KIND_CLASS = 0,
  KIND_STRUCT = 0x200,
  KIND_ENUM = 0x201,
  KIND_OPTIONAL = 0x202,
  KIND_TUPLE = 0x301,
  KIND_FUNCTION = 0x302,
  KIND_EXISTENTIAL = 0x303,
  KIND_METATYPE = 0x304,
  KIND_EXISTENTIAL_METATYPE = 0x306,
  WORD_VALUE_DESCRIPTOR = 1,
  WORD_SUPERCLASS = 1,
  WORD_CLASS_DESCRIPTOR = 5,
  WORD_EXISTENTIAL_PROTOCOL = 2,
};

// The second word of an existential type's metadata, such as that of `any P`.
struct existential {
  uint32_t flags, protocols;
};
enum { EXISTENTIAL_HAS_SUPERCLASS = 1 << 30 };

struct metadata_state {
  const void *metadata;
  uintptr_t state;
};
enum { STATE_COMPLETE = 0, STATE_WITHOUT_WAITING = 0x100 };

// A type context descriptor, as 32-bit words.
enum {
  CONTEXT_KIND = 0x1f,  // of word 0
  CONTEXT_PROTOCOL = 3,
  CONTEXT_CLASS = 16,
  CONTEXT_STRUCT = 17,
  CONTEXT_ENUM = 18,
  CONTEXT_SUPPRESSES = 1 << 5,  // ~Copyable or ~Escapable
  CONTEXT_UNIQUE = 1 << 6,
  CONTEXT_GENERIC = 1 << 7,
  CONTEXT_VERSION = 0xff00,
  METADATA_IS_MADE = 3 << 16,  // at run time: singleton or foreign
  IS_IMPORTED = 1 << 18,
  CLASS_SUPERCLASS = 5,  // words
  CLASS_WORDS = 11,
  VALUE_WORDS = 7,
  REQUIREMENT_WORDS = 3,
  REQUIREMENT_KIND = 0x1f,
  REQUIREMENT_SUPPRESSES = 5,
};

// After the descriptor of a generic type. The parameters follow, a byte each, then the
// requirements.
struct generic_header {
  int32_t cache, pattern;
  uint16_t parameters, requirements, arguments, flags;
};

enum { PARAMETER_TYPE = 0x80 };  // a type, and an argument of the metadata

// What each image registers with the runtime.
struct sections {
  uintptr_t version;
  const void *base, *unused0, *unused1;
  struct {
    const void *start;
    size_t length;
  } protocols, conformances;
};

#endif
