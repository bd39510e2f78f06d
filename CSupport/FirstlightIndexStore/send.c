#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "firstlight_index_store.h"
#include "frame.h"
#include "library.h"
#include "numbering.h"

// Of CPU time: a hundred times what the largest store of a build took.
static const rlim_t most_seconds = 300;

// What a child reads, and where it sends it.
struct sender {
  const struct fl_index_library *library;
  const char *path;
  const char *const *names;
  size_t count;
  size_t first;
  size_t step;

  int output;
  ix_object store;
  struct frame frame;
  struct numbering symbols;
  size_t counter;    // place of a number in the frame that counts what is being added
  uint32_t counted;  // what will stand there
  size_t relations;  // place of the number of relations, and the number
  uint32_t relation_count;
  bool is_damaged;
};

static void send_failure(struct sender *sender, size_t index, ix_object error, const char *words) {
  if (error != NULL) words = sender->library->error_get_description(error);
  frame_begin(&sender->frame, FL_INDEX_FAILURE);
  frame_number(&sender->frame, (uint32_t)index);
  frame_text(&sender->frame, (struct ix_text){words, strlen(words)});
  frame_send(&sender->frame, sender->output);
  if (error != NULL) sender->library->error_dispose(error);
}

// MARK: Units

static bool add_dependency(void *context, ix_object dependency) {
  struct sender *sender = context;
  const struct fl_index_library *library = sender->library;
  if (library->unit_dependency_get_kind(dependency) != IX_DEPENDENCY_IS_RECORD) return true;
  frame_text(&sender->frame, library->unit_dependency_get_name(dependency));
  frame_text(&sender->frame, library->unit_dependency_get_filepath(dependency));
  frame_number(&sender->frame, library->unit_dependency_is_system(dependency));
  sender->counted++;
  return true;
}

static uint32_t flags_of(const struct fl_index_library *library, ix_object unit) {
  uint32_t flags = 0;
  if (library->unit_reader_is_system_unit(unit)) flags |= FL_INDEX_UNIT_IS_SYSTEM;
  if (library->unit_reader_is_module_unit(unit)) flags |= FL_INDEX_UNIT_IS_MODULE;
  if (library->unit_reader_is_debug_compilation(unit)) flags |= FL_INDEX_UNIT_IS_DEBUG;
  if (library->unit_reader_has_main_file(unit)) flags |= FL_INDEX_UNIT_HAS_MAIN_FILE;
  return flags;
}

static bool send_unit(void *context, struct ix_text text) {
  struct sender *sender = context;
  const struct fl_index_library *library = sender->library;
  char *name = strndup(text.bytes, text.size);
  if (name == NULL) _exit(1);
  ix_object error = NULL;
  ix_object unit = library->unit_reader_create(sender->store, name, &error);
  free(name);
  if (unit == NULL) {
    send_failure(sender, sender->first++, error, "unreadable unit");
    return true;
  }
  int64_t seconds = 0;
  int64_t nanoseconds = 0;
  library->unit_reader_get_modification_time(unit, &seconds, &nanoseconds);
  struct frame *frame = &sender->frame;
  frame_begin(frame, FL_INDEX_UNIT);
  frame_number(frame, flags_of(library, unit));
  frame_number(frame, (uint32_t)seconds);
  frame_number(frame, (uint32_t)((uint64_t)seconds >> 32));
  frame_number(frame, (uint32_t)nanoseconds);
  frame_text(frame, text);
  frame_text(frame, library->unit_reader_get_main_file(unit));
  frame_text(frame, library->unit_reader_get_module_name(unit));
  frame_text(frame, library->unit_reader_get_output_file(unit));
  frame_text(frame, library->unit_reader_get_working_dir(unit));
  sender->counter = frame_reserve(frame);
  sender->counted = 0;
  library->unit_reader_dependencies_apply_f(unit, sender, add_dependency);
  frame_set(frame, sender->counter, sender->counted);
  frame_send(frame, sender->output);
  library->unit_reader_dispose(unit);
  sender->first++;
  return true;
}

static void send_units(struct sender *sender) {
  sender->library->store_units_apply_f(sender->store, 1, sender, send_unit);
}

// MARK: Records

// Whether more may be added: a damaged record can claim any number of symbols.
static bool has_room(struct sender *sender) {
  if (sender->frame.size > FL_INDEX_LARGEST_FRAME / 2) sender->is_damaged = true;
  return !sender->is_damaged;
}

static bool add_symbol(void *context, ix_object symbol) {
  struct sender *sender = context;
  const struct fl_index_library *library = sender->library;
  if (!numbering_add(&sender->symbols, symbol)) return has_room(sender);
  struct frame *frame = &sender->frame;
  frame_number(frame, (uint32_t)library->symbol_get_kind(symbol));
  frame_number(frame, (uint32_t)library->symbol_get_language(symbol));
  frame_number(frame, (uint32_t)library->symbol_get_properties(symbol));
  frame_text(frame, library->symbol_get_usr(symbol));
  frame_text(frame, library->symbol_get_name(symbol));
  sender->counted++;
  return has_room(sender);
}

static void add_number_of(struct sender *sender, ix_object symbol) {
  uint32_t number = numbering_find(&sender->symbols, symbol);
  if (number == UINT32_MAX) sender->is_damaged = true;
  frame_number(&sender->frame, number);
}

static bool add_relation(void *context, ix_object relation) {
  struct sender *sender = context;
  add_number_of(sender, sender->library->symbol_relation_get_symbol(relation));
  frame_number(&sender->frame, (uint32_t)sender->library->symbol_relation_get_roles(relation));
  sender->relation_count++;
  return true;
}

static bool add_occurrence(void *context, ix_object occurrence) {
  struct sender *sender = context;
  const struct fl_index_library *library = sender->library;
  unsigned line = 0;
  unsigned column = 0;
  library->occurrence_get_line_col(occurrence, &line, &column);
  add_number_of(sender, library->occurrence_get_symbol(occurrence));
  frame_number(&sender->frame, (uint32_t)library->occurrence_get_roles(occurrence));
  frame_number(&sender->frame, line);
  sender->relations = frame_reserve(&sender->frame);
  sender->relation_count = 0;
  library->occurrence_relations_apply_f(occurrence, sender, add_relation);
  frame_set(&sender->frame, sender->relations, sender->relation_count);
  sender->counted++;
  return has_room(sender);
}

static void send_record(struct sender *sender, size_t index) {
  const struct fl_index_library *library = sender->library;
  ix_object error = NULL;
  ix_object record = library->record_reader_create(sender->store, sender->names[index], &error);
  if (record == NULL) {
    send_failure(sender, index, error, "unreadable record");
    return;
  }
  struct frame *frame = &sender->frame;
  frame_begin(frame, FL_INDEX_RECORD);
  frame_number(frame, (uint32_t)index);
  sender->is_damaged = false;
  sender->counted = 0;
  sender->counter = frame_reserve(frame);
  numbering_clear(&sender->symbols);
  // The library keeps the symbols, so that occurrences name them by the same addresses.
  bool is_whole = library->record_reader_symbols_apply_f(record, false, sender, add_symbol);
  frame_set(frame, sender->counter, sender->counted);
  sender->counted = 0;
  sender->counter = frame_reserve(frame);
  // Of a file without symbols it says that it could not.
  bool is_read = library->record_reader_occurrences_apply_f(record, sender, add_occurrence);
  is_whole = is_whole && (is_read || sender->symbols.count == 0);
  frame_set(frame, sender->counter, sender->counted);
  library->record_reader_dispose(record);
  if (is_whole && !sender->is_damaged) frame_send(frame, sender->output);
  else send_failure(sender, index, NULL, "damaged record");
}

static void send_records(struct sender *sender) {
  for (size_t index = sender->first; index < sender->count; index += sender->step)
    send_record(sender, index);
}

// MARK: The child

// What it reads must have no effect outside: no core file, no message, no work that goes on.
static void confine(pid_t parent) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(1);
  prctl(PR_SET_DUMPABLE, 0);
  struct rlimit seconds = {most_seconds, most_seconds};
  setrlimit(RLIMIT_CPU, &seconds);
  int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
  if (nowhere >= 0) dup2(nowhere, STDERR_FILENO);
  for (int number = 1; number < NSIG; number++) signal(number, SIG_DFL);
  sigset_t signals;
  sigfillset(&signals);
  sigprocmask(SIG_SETMASK, &signals, NULL);
}

static pid_t start(struct sender *sender, void (*send)(struct sender *), int *output) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return -1;
  // Larger than most records, so that children seldom wait for each other's reader.
  fcntl(ends[1], F_SETPIPE_SZ, 1 << 20);
  pid_t parent = getpid();
  pid_t child = fork();
  if (child == 0) {
    confine(parent);
    close(ends[0]);
    sender->output = ends[1];
    ix_object error = NULL;
    sender->store = sender->library->store_create(sender->path, &error);
    if (sender->store == NULL) send_failure(sender, 0, error, "not an index store");
    else send(sender);
    frame_begin(&sender->frame, FL_INDEX_END);
    frame_send(&sender->frame, sender->output);
    _exit(0);
  }
  int code = errno;
  close(ends[1]);
  if (child < 0) {
    close(ends[0]);
    errno = code;
    return -1;
  }
  *output = ends[0];
  return child;
}

pid_t fl_index_send_units(const struct fl_index_library *library, const char *store, int *output) {
  struct sender sender = {.library = library, .path = store};
  return start(&sender, send_units, output);
}

pid_t fl_index_send_records(const struct fl_index_library *library, const char *store,
                            const char *const *names, size_t count, size_t first, size_t step,
                            int *output) {
  struct sender sender = {.library = library,
                          .path = store,
                          .names = names,
                          .count = count,
                          .first = first,
                          .step = step};
  return start(&sender, send_records, output);
}

void fl_index_end(pid_t child) {
  kill(child, SIGKILL);
  while (waitpid(child, NULL, 0) < 0 && errno == EINTR) continue;
}
