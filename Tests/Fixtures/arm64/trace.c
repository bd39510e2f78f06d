// Drives the breakpoint recorder without the command line tool, which cannot be built for arm64 yet:
//
//   trace order PROGRAM [ARGUMENT...]     the first calls of each process, a line for each
//   trace returns PROGRAM [ARGUMENT...]   with depth, ending and whether it was a tail call
//
// Watches all functions of PROGRAM's symbol table; PROGRAM's output goes to standard output, what was
// recorded to descriptor 3. Ends as PROGRAM does.
#define _GNU_SOURCE
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <firstlight_tracer.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

struct function {
  uint64_t address;
  const char *name;
};

static struct function *functions;
static uint64_t *addresses;
static uint32_t count;
static FILE *recorded;

static const Elf64_Ehdr *map_file(const char *path) {
  struct stat status;
  int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0 || fstat(file, &status) != 0) return NULL;
  void *bytes = mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_PRIVATE, file, 0);
  close(file);
  return bytes == MAP_FAILED ? NULL : bytes;
}

/// Calls back with each symbol of a table (SHT_SYMTAB or SHT_DYNSYM).
static void each_symbol(const Elf64_Ehdr *header, uint32_t type,
                        void (*take)(const Elf64_Sym *symbol, const char *name, void *context),
                        void *context) {
  const char *bytes = (const char *)header;
  const Elf64_Shdr *sections = (const Elf64_Shdr *)(bytes + header->e_shoff);
  for (unsigned i = 0; i < header->e_shnum; i++) {
    if (sections[i].sh_type != type) continue;
    const Elf64_Sym *symbols = (const Elf64_Sym *)(bytes + sections[i].sh_offset);
    const char *names = bytes + sections[sections[i].sh_link].sh_offset;
    for (size_t at = 0; at < sections[i].sh_size / sizeof *symbols; at++)
      take(&symbols[at], names + symbols[at].st_name, context);
  }
}

static void take_function(const Elf64_Sym *symbol, const char *name, void *context) {
  (void)context;
  if (ELF64_ST_TYPE(symbol->st_info) != STT_FUNC || symbol->st_shndx == SHN_UNDEF) return;
  if (symbol->st_size == 0) return;
  functions = realloc(functions, (count + 1) * sizeof *functions);
  functions[count++] = (struct function){.address = symbol->st_value, .name = name};
}

static int by_address(const void *a, const void *b) {
  const struct function *x = a, *y = b;
  if (x->address != y->address) return x->address < y->address ? -1 : 1;
  return strcmp(x->name, y->name);
}

static bool read_functions(const char *path) {
  const Elf64_Ehdr *header = map_file(path);
  if (header == NULL) return false;
  each_symbol(header, SHT_SYMTAB, take_function, NULL);
  if (count == 0) return false;
  qsort(functions, count, sizeof *functions, by_address);
  uint32_t kept = 1;
  for (uint32_t i = 1; i < count; i++)
    if (functions[i].address != functions[kept - 1].address) functions[kept++] = functions[i];
  count = kept;
  addresses = malloc(count * sizeof *addresses);
  for (uint32_t i = 0; i < count; i++) addresses[i] = functions[i].address;
  return true;
}

static bool choose(void *context, const struct fl_tracer_file *file,
                   struct fl_tracer_sites *sites) {
  (void)context;
  if (!file->is_program || !file->is_command) return false;
  *sites = (struct fl_tracer_sites){
      .count = count, .addresses = addresses, .main_argument = UINT32_MAX};
  return true;
}

static void take_notifier(const Elf64_Sym *symbol, const char *name, void *context) {
  if (strcmp(name, "_dl_debug_state") == 0) *(uint64_t *)context = symbol->st_value;
}

static uint64_t loader_breakpoint(void *context, const char *path, uint64_t *state) {
  (void)context;
  uint64_t address = 0;
  const Elf64_Ehdr *header = map_file(path);
  *state = 0;
  if (header != NULL) each_symbol(header, SHT_DYNSYM, take_notifier, &address);
  return address;
}

static void problem(void *context, enum fl_tracer_problem problem, const char *path, int error) {
  (void)context;
  fprintf(recorded, "problem %d %s %s\n", problem, path, strerror(error));
}

static void print_process(const struct fl_tracer *tracer, uint32_t index) {
  static const char *endings[] = {"running", "returned", "unwound", "unseen"};
  struct fl_tracer_process process = fl_tracer_process_at(tracer, index);
  fprintf(recorded, "process %u forked from %d drops %u\n", index, process.forked_from,
          process.drops);
  for (uint32_t i = 0; i < process.call_count; i++) {
    fputs(functions[process.calls[i].function].name, recorded);
    if (process.returns != NULL) {
      const struct fl_tracer_return *end = &process.returns[i];
      const char *parent =
          end->parent < 0 ? "-" : functions[process.calls[end->parent].function].name;
      fprintf(recorded, " in %s %s%s", parent, endings[end->ending],
              end->is_tail_call ? " tail" : "");
    }
    fputc('\n', recorded);
  }
}

static int trace(const struct fl_tracer_host *host, char **arguments) {
  struct fl_tracer *tracer = fl_tracer_make(host);
  sigset_t children, before;
  sigemptyset(&children);
  sigaddset(&children, SIGCHLD);
  sigprocmask(SIG_BLOCK, &children, &before);
  if (fl_tracer_start(tracer, arguments, environ, &before, NULL) != FL_TRACER_STARTED) {
    fprintf(stderr, "trace: %s: %s\n", arguments[0], strerror(errno));
    return 69;
  }
  int status = 0;
  while (!fl_tracer_step(tracer, &status) || fl_tracer_living(tracer) > 0) {
    int signal;
    sigwait(&children, &signal);
  }
  for (uint32_t i = 0; i < fl_tracer_process_count(tracer); i++) print_process(tracer, i);
  fl_tracer_free(tracer);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

int main(int words, char **arguments) {
  recorded = fdopen(3, "w");
  if (words < 2 || recorded == NULL) return 64;
  fcntl(3, F_SETFD, FD_CLOEXEC);
  if (words < 3 || !read_functions(arguments[2])) return 66;
  struct fl_tracer_host host = {
      .choose = choose, .loader_breakpoint = loader_breakpoint, .problem = problem};
  if (strcmp(arguments[1], "returns") == 0) host.flags = FL_TRACER_RETURNS | FL_TRACER_LOADING;
  int status = trace(&host, arguments + 2);
  fclose(recorded);
  return status;
}
