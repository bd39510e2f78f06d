// Attributes that every function of the runtime needs.
#ifndef FL_ATTRIBUTES_H
#define FL_ATTRIBUTES_H

// The flags that instrument a program reach the runtime too when it is built from source beside it;
// a hook that called itself would never end.
#if defined(__clang__)
#define FL_UNINSTRUMENTED __attribute__((no_sanitize("coverage")))
#else
#define FL_UNINSTRUMENTED
#endif

// The program's own constructors run at 101 and later. Ours come before them, as the compiler's do,
// and clang takes the priorities below that without a word.
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Wprio-ctor-dtor"
#endif

// A section of their own, by which recordings without guards tell them from the program's functions
// (Sources/DebugInfo/FunctionEntries.swift): what the runtime does is not the program's doing.
#if defined(__ELF__)
#define FL_OWN_SECTION __attribute__((section("firstlight_runtime")))
#else
#define FL_OWN_SECTION
#endif

// Each image carries its own copy of the runtime: hidden, so that a call stays within the image and
// no other image's copy takes its place.
#define FL_HIDDEN FL_UNINSTRUMENTED FL_OWN_SECTION __attribute__((visibility("hidden")))
#define FL_LOCAL FL_UNINSTRUMENTED FL_OWN_SECTION static

#define FL_UNLIKELY(condition) __builtin_expect(!!(condition), 0)

#endif
