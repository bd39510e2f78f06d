// Answers whether a type conforms to a protocol, from an index that the first question makes.
// Linked into executables with Swift's static standard library, with --wrap of the runtime's
// functions.
//
// On Linux, the runtime reads each record of swift5_protocol_conformances and its descriptor for
// each new question. The index needs one such pass, and shows which record to read from then on. It
// is only a shortcut: a question is answered here if the records alone give the answer that the
// runtime would give. All other questions go to the runtime.
#include "abi.h"
#include "firstlight_conformances.h"

#include <stdlib.h>

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

// Whether the index is there; each later state is for good.
enum { UNASKED, MAKING, USED, UNUSED };
static uint8_t state = UNASKED;

static struct {
  // 0: free. Otherwise the low bits are a record's number, from 1, and the bits above are part of
  // the hash of its type and protocol. A record is in the slot that the hash names, or in the next
  // free one.
  uint32_t *slots;
  uint32_t last_slot, number_bits;
} by_hash;

extern const int32_t __start_swift5_protocol_conformances[] FL_HIDDEN;
extern const int32_t __stop_swift5_protocol_conformances[] FL_HIDDEN;

const void *swift_getWitnessTable(const struct conformance *, const void *type,
                                  const void *const *);
struct metadata_state swift_checkMetadataState(uintptr_t request, const void *type) FL_SWIFT;

// The getter of _SwiftStdlibVersion.current: 0x060301 is 6.3.1. Weak: the linker may have left it
// out.
#if defined(__clang__)
__attribute__((weak)) uint32_t swift_version(void) FL_SWIFT
    __asm__("$sSo19_SwiftStdlibVersionasE7currentABvgZ");
#else
// gcc cannot write this name.
static uint32_t (*const swift_version)(void) = NULL;
#endif

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

FL_PLAIN static uint64_t hash_of(const void *type, const void *protocol) {
  uint64_t hash = (uint64_t)(uintptr_t)type * UINT64_C(0x9E3779B97F4A7C15);
  hash = (hash ^ hash >> 32 ^ (uintptr_t)protocol) * UINT64_C(0xD6E8FEB86659FD93);
  return hash ^ hash >> 32;
}

// MARK: Making the index

static enum fl_conformances_refusal make_index(void);
static bool count_images(const struct sections *image, void *count);

// Called when the index turns out to be of no use. It does nothing: firstlight launch stops here.
FL_PLAIN FL_HIDDEN __attribute__((noinline)) void firstlight_conformances_unused(uint32_t refusal) {
  __asm__ volatile("" : : "r"(refusal));
}

FL_PLAIN static void refuse(enum fl_conformances_refusal refusal) {
  __atomic_store_n(&state, UNUSED, __ATOMIC_RELAXED);
  firstlight_conformances_unused(refusal);
}

// Whether the index is there, and the runtime has no other records than those in it.
FL_PLAIN static bool holds(void) {
  uint8_t now = __atomic_load_n(&state, __ATOMIC_ACQUIRE);
  if (now == UNASKED && __atomic_compare_exchange_n(&state, &now, MAKING, false, __ATOMIC_ACQUIRE,
                                                    __ATOMIC_ACQUIRE)) {
    enum fl_conformances_refusal refusal = make_index();
    if (refusal != FL_CONFORMANCES_USED) {
      refuse(refusal);
      return false;
    }
    __atomic_store_n(&state, now = USED, __ATOMIC_RELEASE);
  }
  // While one thread makes the index, others ask the runtime.
  if (now != USED) return false;
  // Libraries may register at any time, so this is checked each time. It takes no lock.
  int images = 0;
  swift_enumerateAllMetadataSections(count_images, &images);
  if (images > 1) refuse(FL_CONFORMANCES_OTHER_IMAGE);
  return images == 1;
}

FL_PLAIN static enum fl_conformances_refusal make_index(void) {
  if (swift_enumerateAllMetadataSections == NULL || swift_version == NULL)
    return FL_CONFORMANCES_UNKNOWN_SWIFT;
  uint32_t version = swift_version() >> 8;
  if (version < FIRST_VERSION || version > LAST_VERSION) return FL_CONFORMANCES_UNKNOWN_SWIFT;
  ptrdiff_t records = __stop_swift5_protocol_conformances - __start_swift5_protocol_conformances;
  if (records <= 0 || records > 1 << 24) return FL_CONFORMANCES_UNKNOWN_RECORD;
  // At most half of the slots are taken: searches are short, and end.
  uint32_t slots = 2;
  while (slots < 2 * (uint32_t)records) slots *= 2;
  by_hash.number_bits = 32 - (uint32_t)__builtin_clz((uint32_t)records);
  by_hash.last_slot = slots - 1;
  // The runtime allocates memory for each new question, too.
  by_hash.slots = calloc(slots, sizeof(uint32_t));
  if (by_hash.slots == NULL) return FL_CONFORMANCES_NO_MEMORY;
  for (uint32_t record = 0; record < (uint32_t)records; record++) {
    const struct conformance *one = conformance(record);
    if (one == NULL || (one->flags & UNKNOWN_FLAGS) || (one->flags >> 3 & 7) > TYPE_INDIRECT)
      return FL_CONFORMANCES_UNKNOWN_RECORD;
    uint64_t hash = hash_of(type_of(one), protocol_of(one));
    uint32_t place = (uint32_t)(hash >> 32) & by_hash.last_slot;
    while (by_hash.slots[place] != 0) place = (place + 1) & by_hash.last_slot;
    by_hash.slots[place] = (uint32_t)hash << by_hash.number_bits | (record + 1);
  }
  return FL_CONFORMANCES_USED;
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
  uint64_t hash = hash_of(type, protocol);
  uint32_t place = (uint32_t)(hash >> 32) & by_hash.last_slot;
  int count = 0;
  for (;; place = (place + 1) & by_hash.last_slot) {
    uint32_t slot = by_hash.slots[place];
    if (slot == 0) return count;
    uint32_t number = slot & (((uint32_t)1 << by_hash.number_bits) - 1);
    if (slot - number != (uint32_t)hash << by_hash.number_bits) continue;
    const struct conformance *one = conformance(number - 1);
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
