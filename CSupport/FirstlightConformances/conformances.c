// Answers whether a type conforms to a protocol, from a table made when the program was linked.
// Linked into executables with Swift's static standard library, with --wrap of the runtime's
// functions.
//
// On Linux, the runtime reads each record of swift5_protocol_conformances and its descriptor for
// each new question. The table shows which record to read. It is only a shortcut: a question is
// answered here if the table alone gives the answer that the runtime would give. All other
// questions go to the runtime.
#include "abi.h"
#include "firstlight_conformances.h"

#if defined(__clang__)
#define FL_PLAIN __attribute__((no_sanitize("all"), no_profile_instrument_function))
#else
#define FL_PLAIN
#endif
// gcc does not know Swift's calling convention; for these arguments it is that of C.
#if defined(__has_attribute) && __has_attribute(swiftcall)
#define FL_SWIFT __attribute__((swiftcall))
#else
#define FL_SWIFT
#endif
#define FL_HIDDEN __attribute__((visibility("hidden")))

// Volatile: the table is filled in after compilation, and grows.
__attribute__((section("firstlight_conformances"),
               used)) static const volatile struct fl_conformances_table table = {
    .mark = FL_CONFORMANCES_MARK};

extern const int32_t __start_swift5_protocol_conformances[] FL_HIDDEN;
extern const int32_t __stop_swift5_protocol_conformances[] FL_HIDDEN;

const void *swift_getWitnessTable(const struct conformance *, const void *type,
                                  const void *const *);
struct metadata_state swift_checkMetadataState(uintptr_t request, const void *type) FL_SWIFT;

typedef const uintptr_t *metadata;
const void *__real_swift_conformsToProtocol(metadata, const void *);
const void *__real_swift_conformsToProtocolCommon(metadata, const void *);
// Weak: not every version has them.
__attribute__((weak)) void swift_enumerateAllMetadataSections(bool (*)(const struct sections *,
                                                                       void *),
                                                              void *);
__attribute__((weak)) const void *__real_swift_conformsToProtocol2(metadata, const void *);
__attribute__((weak)) const void *__real_swift_conformsToProtocolWithExecutionContext(metadata,
                                                                                      const void *,
                                                                                      void *);

// MARK: Records

FL_PLAIN static inline const void *relative(const int32_t *place, int32_t offset) {
  return offset == 0 ? NULL : (const char *)place + offset;
}

FL_PLAIN static const struct conformance *conformance(uint32_t record) {
  const int32_t *place = &__start_swift5_protocol_conformances[record];
  return relative(place, *place);
}

FL_PLAIN static const void *protocol_of(const struct conformance *of) {
  const void *target = relative(&of->protocol, of->protocol & ~1);
  return target != NULL && (of->protocol & 1) ? *(const void *const *)target : target;
}

FL_PLAIN static const void *type_of(const struct conformance *of) {
  const void *target = relative(&of->type, of->type);
  return target != NULL && (of->flags >> 3 & 7) == TYPE_INDIRECT ? *(const void *const *)target
                                                                 : target;
}

// Sets `half` to a descriptor's offset from the records.
FL_PLAIN static bool number(const void *descriptor, uint32_t *half) {
  intptr_t offset = (intptr_t)descriptor - (intptr_t)__start_swift5_protocol_conformances;
  if (descriptor == NULL) offset = 0;
  *half = (uint32_t)offset;
  return offset == (int32_t)offset;
}

// Sets `pair` to the number for a type and a protocol, if both are near enough to be in this image.
FL_PLAIN static bool number_pair(const void *type, const void *protocol, uint64_t *pair) {
  uint32_t high, low;
  bool is_near = number(type, &high) && number(protocol, &low);
  *pair = is_near ? (uint64_t)high << 32 | low : 0;
  return is_near;
}

// MARK: Whether the table holds

static bool is_of_these_records(void);
static bool count_images(const struct sections *image, void *count);

// Whether the table was made from the records of this image, and the runtime has no others.
FL_PLAIN static bool holds(void) {
  static uint8_t known;  // 0: not checked, 1: made from them, 2: not
  uint8_t state = __atomic_load_n(&known, __ATOMIC_RELAXED);
  if (state == 0) {
    state = is_of_these_records() ? 1 : 2;
    // Threads that get here at the same time store the same value.
    __atomic_store_n(&known, state, __ATOMIC_RELAXED);
  }
  if (state != 1) return false;
  // Libraries may register at any time, so this is checked each time. It takes no lock.
  int images = 0;
  swift_enumerateAllMetadataSections(count_images, &images);
  return images == 1;
}

FL_PLAIN static bool is_of_these_records(void) {
  uint32_t records = table.records;
  if (records == 0 || table.slot_bits >= 32 || swift_enumerateAllMetadataSections == NULL)
    return false;
  if (__stop_swift5_protocol_conformances - __start_swift5_protocol_conformances != records)
    return false;
  uint64_t digest = 0;
  for (uint32_t record = 0; record < records; record++) {
    const struct conformance *one = conformance(record);
    uint64_t pair;
    if (one == NULL || (one->flags >> 3 & 7) > TYPE_INDIRECT) return false;
    if (!number_pair(type_of(one), protocol_of(one), &pair)) return false;
    digest = (digest ^ pair) * FL_CONFORMANCES_FIRST;
    digest ^= digest >> 32;
  }
  return digest == table.digest;
}

// Counts 2 for another image, 1 for this one.
FL_PLAIN static bool count_images(const struct sections *image, void *count) {
  if (image->conformances.length == 0) return true;
  bool is_this = image->conformances.start == __start_swift5_protocol_conformances;
  *(int *)count += is_this ? 1 : 2;
  return *(int *)count == 1;
}

// MARK: Types

// The descriptor of a type whose identity is its address, or NULL.
FL_PLAIN static const uint32_t *descriptor(metadata type) {
  const uint32_t *found;
  uint32_t kind;
  switch (type[0]) {
    case KIND_STRUCT:
      found = (const uint32_t *)type[WORD_VALUE_DESCRIPTOR], kind = CONTEXT_STRUCT;
      break;
    case KIND_ENUM:
    case KIND_OPTIONAL:
      found = (const uint32_t *)type[WORD_VALUE_DESCRIPTOR], kind = CONTEXT_ENUM;
      break;
    case KIND_CLASS:
      found = (const uint32_t *)type[WORD_CLASS_DESCRIPTOR], kind = CONTEXT_CLASS;
      break;
    default: return NULL;
  }
  if (found == NULL) return NULL;
  uint32_t wanted = kind | CONTEXT_UNIQUE;
  uint32_t looked_at = CONTEXT_KIND | CONTEXT_UNIQUE | CONTEXT_VERSION | IS_IMPORTED;
  return (found[0] & looked_at) == wanted ? found : NULL;
}

// Sets `superclass` to that of a type, NULL if it has none. Returns false if the runtime has not
// found it yet.
FL_PLAIN static bool find_superclass(metadata type, const uint32_t *of, metadata *superclass) {
  *superclass = NULL;
  if (type[0] != KIND_CLASS || of[CLASS_SUPERCLASS] == 0) return true;
  if (of[0] & (CONTEXT_GENERIC | METADATA_IS_MADE)) {
    uintptr_t request = STATE_COMPLETE | STATE_WITHOUT_WAITING;
    if (swift_checkMetadataState(request, type).state != STATE_COMPLETE) return false;
  }
  *superclass = (metadata)type[WORD_SUPERCLASS];
  return *superclass != NULL;
}

// Whether all arguments of a type are ordinary types. If a parameter may be ~Copyable or a pack,
// conformances that look unconditional have conditions for it.
FL_PLAIN static bool has_ordinary_arguments(metadata type, const uint32_t *of) {
  if (!(of[0] & CONTEXT_GENERIC)) return true;
  if (of[0] & CONTEXT_SUPPRESSES) return false;
  const uint32_t *end = of + (type[0] == KIND_CLASS ? CLASS_WORDS : VALUE_WORDS);
  const struct generic_header *header = (const struct generic_header *)end;
  if (header->flags != 0) return false;
  const uint8_t *parameters = (const uint8_t *)(header + 1);
  for (uint16_t index = 0; index < header->parameters; index++)
    if ((parameters[index] & ~PARAMETER_TYPE) != 0) return false;
  const uint32_t *requirement = (const uint32_t *)(parameters + (header->parameters + 3) / 4 * 4);
  for (uint16_t index = 0; index < header->requirements; index++, requirement += REQUIREMENT_WORDS)
    if ((*requirement & REQUIREMENT_KIND) == REQUIREMENT_SUPPRESSES) return false;
  return true;
}

// MARK: Questions

// Returns how many records there are of a type and a protocol, 2 for more. Sets `found` to the
// first.
FL_PLAIN static int find(const void *type, const void *protocol, const struct conformance **found) {
  uint64_t pair;
  if (!number_pair(type, protocol, &pair)) return 2;
  uint64_t hash = pair * FL_CONFORMANCES_FIRST;
  hash ^= hash >> 32;
  hash *= FL_CONFORMANCES_SECOND;
  uint32_t index_bits = 32 - (uint32_t)__builtin_clz(table.records);
  uint32_t last = ((uint32_t)1 << table.slot_bits) - 1;
  uint32_t place = (uint32_t)(hash >> 32) & last;
  int count = 0;
  for (;; place = (place + 1) & last) {
    uint32_t slot = table.slots[place];
    if (slot == 0) return count;
    uint32_t index = slot & (((uint32_t)1 << index_bits) - 1);
    if (slot - index != (uint32_t)hash << index_bits) continue;
    const struct conformance *one = conformance(index - 1);
    if (type_of(one) != type || protocol_of(one) != protocol) continue;
    if (++count == 2) return count;
    *found = one;
  }
}

enum answer { NO, YES, ASK_RUNTIME };

FL_PLAIN static enum answer answer_existential(metadata type, const void *protocol,
                                               const void **witnesses) {
  const struct existential *header = (const struct existential *)&type[1];
  // Only `any P` itself can conform to anything.
  if (header->protocols != 1 || (header->flags & EXISTENTIAL_HAS_SUPERCLASS)) return NO;
  const uint32_t *of = (const uint32_t *)type[WORD_EXISTENTIAL_PROTOCOL];
  uint32_t looked_at = CONTEXT_KIND | CONTEXT_UNIQUE | CONTEXT_VERSION;
  if (((uintptr_t)of & 1) || (of[0] & looked_at) != (CONTEXT_PROTOCOL | CONTEXT_UNIQUE))
    return ASK_RUNTIME;
  const struct conformance *found = NULL;
  int count = find(of, protocol, &found);
  if (count == 0) return NO;
  if (count > 1 || (found->flags & ~(uint32_t)(PLAIN_FLAGS | OF_PROTOCOL_FLAG))) return ASK_RUNTIME;
  *witnesses = swift_getWitnessTable(found, type, NULL);
  return YES;
}

FL_PLAIN static enum answer answer(metadata type, const void *protocol, const void **witnesses) {
  if (!holds()) return ASK_RUNTIME;
  switch (type[0]) {
    case KIND_EXISTENTIAL: return answer_existential(type, protocol, witnesses);
    // These kinds have no descriptor that a record could name.
    case KIND_TUPLE:
    case KIND_FUNCTION:
    case KIND_METATYPE:
    case KIND_EXISTENTIAL_METATYPE: return NO;
    default: break;
  }
  const struct conformance *found = NULL;
  metadata conforming = NULL;
  for (metadata next = type; next != NULL;) {
    const uint32_t *of = descriptor(next);
    if (of == NULL) return ASK_RUNTIME;
    int count = find(of, protocol, &found);
    // The runtime warns where a class and its superclass conform.
    if (count > (conforming == NULL)) return ASK_RUNTIME;
    if (count == 1) {
      if ((found->flags & ~(uint32_t)PLAIN_FLAGS) || !has_ordinary_arguments(next, of))
        return ASK_RUNTIME;
      conforming = next;
    }
    if (!find_superclass(next, of, &next)) return ASK_RUNTIME;
  }
  if (conforming == NULL) return NO;
  *witnesses = swift_getWitnessTable(found, conforming, NULL);
  return YES;
}

#define ANSWER(ELSE)                            \
  const void *witnesses;                        \
  switch (answer(type, protocol, &witnesses)) { \
    case NO: return NULL;                       \
    case YES: return witnesses;                 \
    case ASK_RUNTIME: break;                    \
  }                                             \
  return ELSE

FL_PLAIN const void *__wrap_swift_conformsToProtocol(metadata type, const void *protocol) {
  ANSWER(__real_swift_conformsToProtocol(type, protocol));
}

FL_PLAIN const void *__wrap_swift_conformsToProtocol2(metadata type, const void *protocol) {
  ANSWER(__real_swift_conformsToProtocol2(type, protocol));
}

FL_PLAIN const void *__wrap_swift_conformsToProtocolCommon(metadata type, const void *protocol) {
  ANSWER(__real_swift_conformsToProtocolCommon(type, protocol));
}

// `context` takes the actor to which a conformance is isolated, and those are not answered here.
FL_PLAIN const void *__wrap_swift_conformsToProtocolWithExecutionContext(metadata type,
                                                                         const void *protocol,
                                                                         void *context) {
  ANSWER(__real_swift_conformsToProtocolWithExecutionContext(type, protocol, context));
}
