// A library to be loaded often; VARIANT makes another build of it.
#define JOIN(a, b) a##b
#define NAMED(a, b) JOIN(a, b)
void NAMED(inner, VARIANT)(void) {}
void NAMED(never, VARIANT)(void) {}
void entry(void) { NAMED(inner, VARIANT)(); }
__attribute__((destructor)) static void NAMED(unloaded, VARIANT)(void) { __asm__ volatile(""); }
