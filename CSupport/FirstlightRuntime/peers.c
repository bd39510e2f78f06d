#define _GNU_SOURCE
#include "peers.h"

#include <string.h>

#include "file.h"
#include "image.h"

/// The copy that a note belongs to; null if it is unpublished, or has another version.
FL_LOCAL struct fl_control *control_of(const char *note) {
  int64_t distance;
  memcpy(&distance, note, sizeof distance);
  struct fl_control *control = (struct fl_control *)(note + distance);
  // Acquire pairs with the release store in fl_peers_publish(): a reader that sees the version also
  // sees relocated pointers and an initialized image.
  bool is_published = __atomic_load_n(&control->version, __ATOMIC_ACQUIRE) == FL_CONTROL_VERSION;
  return is_published ? control : NULL;
}

struct walk {
  bool (*visit)(struct fl_control *control, void *context);
  void *context;
};

FL_LOCAL int visit_note(const char *note, void *context) {
  const struct walk *walk = context;
  struct fl_control *control = control_of(note);
  return control != NULL && walk->visit(control, walk->context);
}

FL_HIDDEN bool fl_peers_visit(bool (*visit)(struct fl_control *control, void *context),
                              void *context) {
  struct walk walk = {visit, context};
  return fl_image_notes(visit_note, &walk);
}

FL_HIDDEN void fl_peers_publish(void) {
  // Pairs with the acquire load in control_of().
  __atomic_store_n(&fl_control.version, FL_CONTROL_VERSION, __ATOMIC_RELEASE);
}

FL_LOCAL bool find_report(struct fl_control *control, void *context) {
  bool *reported = context;
  *reported = *reported || control->reported != 0;
  return *reported;
}

FL_HIDDEN bool fl_peers_may_report(void) {
  bool reported = fl_control.reported != 0;
  fl_peers_visit(find_report, &reported);
  fl_control.reported = 1;
  return !reported;
}

FL_LOCAL bool share_process(struct fl_control *control, void *context) {
  struct fl_process_header *process = control->process();
  if (process == NULL) return false;
  struct fl_process_header *shared = fl_file_map_again(process, FL_HEADER_SIZE);
  *(struct fl_process_header **)context = shared;
  return shared != NULL;
}

FL_HIDDEN struct fl_process_header *fl_peers_share_process(void) {
  struct fl_process_header *shared = NULL;
  fl_peers_visit(share_process, &shared);
  return shared;
}
