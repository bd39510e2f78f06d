// The hooks that -finstrument-functions calls. Both gcc and clang insert the calls before they
// inline functions, so that copies call them too. Images without such calls do not link this file.
#include "entries.h"

FL_HIDDEN void __cyg_profile_func_enter(void *function, void *site);
FL_HIDDEN void __cyg_profile_func_exit(void *function, void *site);

// On its own cache line, so that its cost does not depend on the code linked around it.
FL_HIDDEN __attribute__((aligned(64))) void __cyg_profile_func_enter(void *function, void *site) {
  (void)site;
  uintptr_t place = (uintptr_t)function - fl_entries.code;
  // Acquire pairs with the release in fl_entries_begin(): a thread that sees a size sees the
  // memory.
  if (__builtin_expect(
          place < __atomic_load_n(&fl_entries.size, __ATOMIC_ACQUIRE) &&
              __atomic_load_n(&fl_entries.cleared[place / FL_ENTRY_STEP], __ATOMIC_RELAXED) != 0,
          1))
    return;
  fl_entries_look((uintptr_t)function, __builtin_return_address(0));
}

// Neither compiler can leave this call out.
FL_HIDDEN void __cyg_profile_func_exit(void *function, void *site) {
  (void)function;
  (void)site;
}

/// Runs before the runtime's other constructors. The program may replace the functions of libc that
/// they call, and such calls are not the program's.
__attribute__((constructor(1))) FL_LOCAL void begin(void) { fl_entries.has_begun = true; }

/// With the priority of the constructors that compilers make for guards.
__attribute__((constructor(2))) FL_LOCAL void attach(void) { fl_entries_attach(); }

/// Runs once the image is published: another image may have known that this process is recorded.
__attribute__((constructor(4))) FL_LOCAL void settle(void) { fl_entries_settle(); }
