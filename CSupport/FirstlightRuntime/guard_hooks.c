// The hooks that -fsanitize-coverage=trace-pc-guard,pc-table calls. Only images with guards link
// this file: libFuzzer's archive has hooks of the same names, and is linked as a whole.
// https://clang.llvm.org/docs/SanitizerCoverage.html#tracing-pcs-with-guards
#include <errno.h>
#include <stdint.h>

#include "image_state.h"
#include "recording.h"

FL_HIDDEN void __sanitizer_cov_trace_pc_guard_init(uint32_t *start, uint32_t *stop);
FL_HIDDEN void __sanitizer_cov_pcs_init(const uintptr_t *start, const uintptr_t *stop);
FL_HIDDEN void __sanitizer_cov_trace_pc_guard(uint32_t *guard);

/// The build flags make the linker look for this symbol, so it links this file even if a
/// sanitizer's runtime, which is linked as a whole, has weak hooks. The hooks here then win.
extern __attribute__((visibility("hidden"))) const char firstlight_guards;
const char firstlight_guards = 0;

/// Called by a constructor of each object file, always with all guards of the image.
FL_HIDDEN void __sanitizer_cov_trace_pc_guard_init(uint32_t *start, uint32_t *stop) {
  if (fl_image_state.guard_count != 0 || start == stop) return;
  int saved = errno;
  fl_recording_attach(start, (uintptr_t)(stop - start));
  errno = saved;
}

/// Called next, with the image's PC table, which readers take from the file. Weak, since a
/// sanitizer may need the call.
FL_HIDDEN __attribute__((weak)) void __sanitizer_cov_pcs_init(const uintptr_t *start,
                                                              const uintptr_t *stop) {
  (void)start;
  (void)stop;
}

// On its own cache line, so that its cost does not depend on the code linked around it.
FL_HIDDEN __attribute__((aligned(64))) void __sanitizer_cov_trace_pc_guard(uint32_t *guard) {
  if (__builtin_expect(__atomic_load_n(guard, __ATOMIC_RELAXED) == 0, 1)) return;
  fl_first_call(guard, __builtin_return_address(0));
}
