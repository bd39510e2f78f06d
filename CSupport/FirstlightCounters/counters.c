// Sends the compiler's counters of a recorded process (-fprofile-instr-generate, -profile-generate)
// to a file beside the image's segment, in LLVM's continuous mode: the program counts in the mapped
// file, so neither SIGKILL nor _exit loses a count, and a forked child counts in its parent's file.
//
// A target of its own, since it needs LLVM's profile runtime, which only counted programs link.
// Linkers take it from the archive if `firstlight_counters` is requested.
#define _GNU_SOURCE
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "../FirstlightRuntime/environment.h"
#include "../FirstlightRuntime/file.h"
#include "../FirstlightRuntime/image_state.h"
#include "../FirstlightRuntime/scratch.h"
#include "../FirstlightRuntime/text.h"

/// From compiler-rt's InstrProfiling.h. "%c" selects continuous mode. The profile runtime's own
/// constructor runs later and does not replace this name.
void __llvm_profile_set_filename(const char *pattern);

/// From InstrProfiling.h: the size in bytes of a raw profile of this image.
uint64_t __llvm_profile_get_size_for_buffer(void);

/// Continuous mode fills up pages between the parts of the file.
enum { PADDING = 1 << 18 };

/// A program or a script that chooses a file keeps its choice.
static bool has_chosen_file(void) {
  const char *chosen = getenv("LLVM_PROFILE_FILE");
  return chosen != NULL && chosen[0] != '\0';
}

FL_LOCAL void begin(uint32_t segment) {
  if (has_chosen_file()) return;
  // The profile runtime does not check the limit, and SIGXFSZ would end the program. Without the
  // file, readers count a loss.
  if (!fl_file_size_allowed(__llvm_profile_get_size_for_buffer() + PADDING)) {
    __llvm_profile_set_filename("/dev/null");
    return;
  }
  struct fl_scratch *scratch = fl_scratch_take();
  if (scratch == NULL) return;
  fl_segment_file_name(scratch->name, &fl_image_state.process->process, segment, ".counters");
  struct text pattern = {scratch->temporary, 0, sizeof scratch->temporary};
  append(&pattern, "%c");
  append(&pattern, scratch->name);
  // A pattern cannot contain another percent sign. Without the file, readers count a loss.
  if (strchr(scratch->name, '%') == NULL) {
    __llvm_profile_set_filename(scratch->temporary);
    (void)chmod(scratch->name, 0600);
  }
  fl_scratch_give(scratch);
}

/// Runs with the constructors that set up guards, which may have started the recording already.
__attribute__((constructor(2))) FL_LOCAL void load(void) {
  static const struct fl_counters counters = {begin};
  fl_image_state.counters = &counters;
  if (fl_image_state.recording == FL_ON) {
    begin(fl_image_state.number);
  } else if (!has_chosen_file()) {
    // Otherwise each tool that a build runs would leave a default.profraw in the user's folder.
    __llvm_profile_set_filename("/dev/null");
  }
}

/// The symbol that the flags of a counted build request.
FL_HIDDEN void firstlight_counters(void) {}
