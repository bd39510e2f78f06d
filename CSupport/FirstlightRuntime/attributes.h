// Attributes of the runtime's functions.
#ifndef FL_ATTRIBUTES_H
#define FL_ATTRIBUTES_H

// The flags that instrument a program also reach the runtime if it is built from source beside it.
// A hook that called itself would recurse for ever.
#if defined(__clang__)
#define FL_UNINSTRUMENTED \
  __attribute__((no_sanitize("coverage"), no_instrument_function, no_profile_instrument_function))
#else
#define FL_UNINSTRUMENTED __attribute__((no_instrument_function))
#endif

// The program's own constructors have priority 101 and later. The runtime's come before them, as
// the compiler's do. Clang accepts such priorities without a warning, GCC does not.
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Wprio-ctor-dtor"
#endif

// A separate section: recordings without guards exclude the runtime's functions by it
// (Sources/Reading/DebugInfo).
#if defined(__ELF__)
#define FL_OWN_SECTION __attribute__((section("firstlight_runtime")))
#else
#define FL_OWN_SECTION
#endif

// Each image has its own copy of the runtime. Hidden symbols keep a call within the image: it is
// not bound to another image's copy.
#define FL_HIDDEN FL_UNINSTRUMENTED FL_OWN_SECTION __attribute__((visibility("hidden")))
#define FL_LOCAL FL_UNINSTRUMENTED FL_OWN_SECTION static

#define FL_UNLIKELY(condition) __builtin_expect(!!(condition), 0)

#endif
