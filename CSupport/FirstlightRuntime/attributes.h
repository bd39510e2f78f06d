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

// Each image carries its own copy of the runtime: hidden, so that a call stays within the image and
// no other image's copy takes its place.
#define FL_HIDDEN FL_UNINSTRUMENTED __attribute__((visibility("hidden")))
#define FL_LOCAL FL_UNINSTRUMENTED static

#define FL_UNLIKELY(condition) __builtin_expect(!!(condition), 0)

#endif
