// Demangles untrusted names. The demanglers of the C++ and Swift runtimes have no
// limits: a short name can stand for gigabytes of text, or for a tree that is deeper than any
// stack. In C because Swift cannot call fork; the child has limits and a timer, and returns its
// result in a shared mapping.
#ifndef FIRSTLIGHT_DEMANGLING_H
#define FIRSTLIGHT_DEMANGLING_H

#include <stddef.h>
#include <stdint.h>

struct fl_mangled_name {
  const char *_Nonnull bytes;  // ends with NUL
  size_t count;                // without NUL
};

// `swift_demangle` and `__cxa_demangle`: text for the caller to free, or NULL.
typedef char *_Nullable (*fl_swift_demangler)(const char *_Nullable, size_t, char *_Nullable,
                                              size_t *_Nullable, uint32_t);
typedef char *_Nullable (*fl_cxx_demangler)(const char *_Nullable, char *_Nullable,
                                            size_t *_Nullable, int *_Nullable);

struct fl_demanglers {
  fl_swift_demangler _Nonnull swift;
  fl_cxx_demangler _Nullable cxx;  // NULL where no C++ runtime is loaded
};

// The most bytes of text for a name. The longest text of an ordinary name so far has 20 KB.
enum { FL_LONGEST_TEXT = 128 << 10 };

// Demangles names in child processes with limits and a stack of their own. Each name may take a
// tenth of a second of CPU time and 128 MB of memory. A name that takes more, or that ends the
// child, has no text. After eight such names, or after a second plus one for each 20,000 names, the
// rest have none either. Calls `take` for each name that has text, in order; the text is valid
// during the call. If there can be no child, no name has text.
void fl_demangle_apart(const struct fl_mangled_name *_Nonnull names, size_t count,
                       struct fl_demanglers demanglers, void *_Nullable context,
                       void (*_Nonnull take)(void *_Nullable context, size_t index,
                                             const char *_Nonnull text, size_t size));

// Demangles names in this process, which must have limits itself: a name that takes too much ends
// it. Here only the text has a limit.
void fl_demangle_here(const struct fl_mangled_name *_Nonnull names, size_t count,
                      struct fl_demanglers demanglers, void *_Nullable context,
                      void (*_Nonnull take)(void *_Nullable context, size_t index,
                                            const char *_Nonnull text, size_t size));

#endif
