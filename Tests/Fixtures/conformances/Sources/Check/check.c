#include "check.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define HIDDEN __attribute__((visibility("hidden")))
#define WEAK __attribute__((weak))
#define SWIFT __attribute__((swiftcall))

extern const int32_t __start_swift5_type_metadata[] HIDDEN, __stop_swift5_type_metadata[] HIDDEN;
extern const int32_t __start_swift5_protocols[] HIDDEN, __stop_swift5_protocols[] HIDDEN;
extern const int32_t __start_swift5_protocol_conformances[] HIDDEN,
    __stop_swift5_protocol_conformances[] HIDDEN;

typedef const void *(*Question)(const void *, const void *);
typedef const void *(*QuestionInContext)(const void *, const void *, void *);
const void *swift_conformsToProtocol(const void *, const void *);
WEAK const void *swift_conformsToProtocolWithExecutionContext(const void *, const void *, void *);
// Only a link with --wrap has these.
WEAK const void *__real_swift_conformsToProtocol(const void *, const void *);
WEAK const void *__real_swift_conformsToProtocolWithExecutionContext(const void *, const void *,
                                                                     void *);

typedef struct {
  const void *type;
  uintptr_t state;
} Response;
typedef Response (*Plain)(uintptr_t) SWIFT;
typedef Response (*OfOne)(uintptr_t, const void *) SWIFT;
typedef Response (*OfTwo)(uintptr_t, const void *, const void *) SWIFT;
typedef Response (*OfThree)(uintptr_t, const void *, const void *, const void *) SWIFT;
typedef struct {
  const char *text;
  size_t length;
} Name;
Name swift_getTypeName(const void *, bool) SWIFT;
const void *swift_getExistentialTypeMetadata(uintptr_t, const void *, size_t, const void *const *);
extern const char $sSiN[], $sSSN[];  // Int, String

// MARK: Types and protocols

typedef struct {
  const void **items;
  size_t count, room;
} List;

static void add(List *list, const void *item) {
  if (item == NULL) return;
  if (list->count == list->room) {
    list->room = list->room == 0 ? 1024 : 2 * list->room;
    list->items = realloc(list->items, list->room * sizeof *list->items);
  }
  list->items[list->count++] = item;
}

static int by_address(const void *a, const void *b) {
  const char *x = *(const char *const *)a, *y = *(const char *const *)b;
  return (x > y) - (x < y);
}

static void sort(List *list) {
  if (list->count == 0) return;
  qsort(list->items, list->count, sizeof *list->items, by_address);
  size_t kept = 1;
  for (size_t i = 1; i < list->count; i++)
    if (list->items[i] != list->items[kept - 1]) list->items[kept++] = list->items[i];
  list->count = kept;
}

// Follows a relative reference, through a pointer if its low bits say so.
static const void *follow(const int32_t *place, int32_t pointer_bits) {
  if (*place == 0) return NULL;
  const char *target = (const char *)place + (*place & ~pointer_bits);
  return (*place & pointer_bits) != 0 ? *(const void *const *)target : target;
}

// Types of Int and String, for up to three parameters without requirements.
static void add_generic(List *types, const int32_t *descriptor, const void *accessor) {
  bool is_class = (descriptor[0] & 0x1f) == 16;
  const uint16_t *header = (const uint16_t *)(descriptor + (is_class ? 11 : 7) + 2);
  uint16_t parameters = header[0], requirements = header[1], arguments = header[2],
           flags = header[3];
  if (requirements != 0 || flags != 0 || parameters != arguments || parameters > 3) return;
  const void *arguments_of[2][3] = {{$sSiN, $sSSN, $sSiN}, {$sSSN, $sSiN, $sSSN}};
  for (int i = 0; i < 2; i++) {
    const void **a = arguments_of[i];
    if (parameters == 1) add(types, ((OfOne)accessor)(0, a[0]).type);
    if (parameters == 2) add(types, ((OfTwo)accessor)(0, a[0], a[1]).type);
    if (parameters == 3) add(types, ((OfThree)accessor)(0, a[0], a[1], a[2]).type);
  }
}

static void collect(List *types, List *protocols) {
  for (const int32_t *place = __start_swift5_protocols; place < __stop_swift5_protocols; place++)
    add(protocols, follow(place, 3));
  const int32_t *record = __start_swift5_protocol_conformances;
  for (; record < __stop_swift5_protocol_conformances; record++) {
    const int32_t *conformance = (const int32_t *)((const char *)record + *record);
    add(protocols, follow(conformance, 1));
  }
  sort(protocols);
  for (const int32_t *place = __start_swift5_type_metadata; place < __stop_swift5_type_metadata;
       place++) {
    const int32_t *descriptor = follow(place, 3);
    uint32_t kind = descriptor == NULL ? 0 : (uint32_t)descriptor[0] & 0x1f;
    if (kind < 16 || kind > 18 || descriptor[3] == 0) continue;
    const void *accessor = (const char *)&descriptor[3] + descriptor[3];
    if (descriptor[0] & 0x80) add_generic(types, descriptor, accessor);
    else add(types, ((Plain)accessor)(0).type);
  }
  for (size_t i = 0; i < protocols->count; i++)
    add(types, swift_getExistentialTypeMetadata(1, NULL, 1, &protocols->items[i]));
}

// MARK: Questions

// An answer, and the actor to which the conformance is isolated.
typedef struct {
  const void *witnesses, *context[2];
} Answer;

static Answer ask(bool is_real, const void *type, const void *protocol) {
  Answer answer = {0};
  // Before Swift 6.2, there are no isolated conformances.
  if (swift_conformsToProtocolWithExecutionContext != NULL) {
    QuestionInContext question = is_real ? __real_swift_conformsToProtocolWithExecutionContext
                                         : swift_conformsToProtocolWithExecutionContext;
    answer.witnesses = question(type, protocol, answer.context);
    Question plain = is_real ? __real_swift_conformsToProtocol : swift_conformsToProtocol;
    if (plain(type, protocol) != answer.witnesses) abort();
  } else {
    answer.witnesses =
        (is_real ? __real_swift_conformsToProtocol : swift_conformsToProtocol)(type, protocol);
  }
  return answer;
}

long check_conformances(const void *const *more, size_t count) {
  if (__real_swift_conformsToProtocol == NULL) return -1;
  List types = {0}, protocols = {0};
  collect(&types, &protocols);
  for (size_t i = 0; i < count; i++) add(&types, more[i]);
  sort(&types);
  Answer *answers = calloc(protocols.count, sizeof *answers);
  size_t different = 0, conforming = 0;
  for (size_t i = 0; i < types.count; i++) {
    const void *type = types.items[i];
    // The table first, when the runtime has not been asked.
    for (size_t j = 0; j < protocols.count; j++) answers[j] = ask(false, type, protocols.items[j]);
    for (size_t j = 0; j < protocols.count; j++) {
      Answer real = ask(true, type, protocols.items[j]);
      conforming += real.witnesses != NULL;
      if (memcmp(&real, &answers[j], sizeof real) == 0) continue;
      different++;
      Name name = swift_getTypeName(type, true);
      const char *protocol = follow((const int32_t *)protocols.items[j] + 2, 0);
      printf("DIFFERENT %.*s: %s: table %p, runtime %p\n", (int)name.length, name.text, protocol,
             answers[j].witnesses, real.witnesses);
    }
  }
  printf("%zu types, %zu protocols, %zu pairs, %zu conform, %zu different\n", types.count,
         protocols.count, types.count * protocols.count, conforming, different);
  fflush(stdout);
  return (long)different;
}

void swift_addNewDSOImage(void *sections);

void load_conformance(const void *type, const void *existential) {
  static struct {
    int32_t protocol, type, witnesses;
    uint32_t flags;
  } descriptor;
  static const void *witnesses[1] = {&descriptor};
  static int32_t record;
  descriptor.protocol =
      (int32_t)(((const intptr_t *)existential)[2] - (intptr_t)&descriptor.protocol);
  descriptor.type = (int32_t)(((const intptr_t *)type)[1] - (intptr_t)&descriptor.type);
  descriptor.witnesses = (int32_t)((intptr_t)witnesses - (intptr_t)&descriptor.witnesses);
  record = (int32_t)((intptr_t)&descriptor - (intptr_t)&record);
  // Version and base address, two unused words, then start and length of each section: the second
  // are those of conformances.
  static uintptr_t sections[64] = {5};
  sections[1] = (uintptr_t)&descriptor;
  sections[6] = (uintptr_t)&record;
  sections[7] = sizeof record;
  swift_addNewDSOImage(sections);
}

__attribute__((constructor)) static void check_at_start(void) {
  if (getenv("CHECK_CONFORMANCES") != NULL) _Exit(check_conformances(NULL, 0) == 0 ? 0 : 1);
}
