// Asks the index of conformances and the runtime the same questions. Linked into any Swift program
// with the static standard library, it does so before main and ends the program, if
// CHECK_CONFORMANCES is set.
#ifndef CHECK_H
#define CHECK_H

#include <stddef.h>

// Asks about all types and protocols that the program's records name, and about `types`. Prints
// each difference and a line of sums. Returns the number of differences, -1 if there is no table.
long check_conformances(const void *const *types, size_t count);

// Registers one more image with the runtime, as a plug-in's constructor does. In it, a struct
// conforms to a protocol without requirements, for which `existential` stands.
void load_conformance(const void *type, const void *existential);

#endif
