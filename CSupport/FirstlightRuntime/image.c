// Runs in constructors and API calls.
#define _GNU_SOURCE
#include "image.h"

#include <elf.h>
#include <link.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

/// Finds a note by owner and type in one PT_NOTE segment. Null if there is none. `found` receives
/// the size of its contents.
FL_LOCAL const char *find_note(const char *notes, size_t size, size_t alignment, const char *name,
                               uint32_t type, size_t *found) {
  size_t padding = alignment == 8 ? 7 : 3;
  size_t at = 0;
  while (size - at >= sizeof(ElfW(Nhdr))) {
    const ElfW(Nhdr) *note = (const ElfW(Nhdr) *)(notes + at);
    size_t owner = at + sizeof *note;
    size_t contents = (owner + note->n_namesz + padding) & ~padding;
    size_t end = contents + note->n_descsz;
    if (note->n_namesz > size || note->n_descsz > size || end > size) return NULL;
    if (note->n_type == type && note->n_namesz == strlen(name) + 1 &&
        memcmp(notes + owner, name, note->n_namesz) == 0) {
      *found = note->n_descsz;
      return notes + contents;
    }
    at = (end + padding) & ~padding;
    if (at > size) return NULL;
  }
  return NULL;
}

/// Finds a note in all of an image's PT_NOTE segments.
FL_LOCAL const char *note_of(const struct dl_phdr_info *info, const char *name, uint32_t type,
                             size_t *size) {
  for (int i = 0; i < info->dlpi_phnum; i++) {
    const ElfW(Phdr) *segment = &info->dlpi_phdr[i];
    if (segment->p_type != PT_NOTE) continue;
    const char *notes = (const char *)(info->dlpi_addr + segment->p_vaddr);
    const char *found = find_note(notes, segment->p_memsz, segment->p_align, name, type, size);
    if (found != NULL) return found;
  }
  return NULL;
}

/// Whether one of the image's mapped segments contains `address`.
FL_LOCAL bool holds(const struct dl_phdr_info *info, uintptr_t address) {
  for (int i = 0; i < info->dlpi_phnum; i++) {
    const ElfW(Phdr) *segment = &info->dlpi_phdr[i];
    if (segment->p_type == PT_LOAD &&
        address - info->dlpi_addr - segment->p_vaddr < segment->p_memsz)
      return true;
  }
  return false;
}

FL_LOCAL void set_path(struct fl_segment_header *header, const struct dl_phdr_info *info) {
  const char *name = info->dlpi_name;
  // glibc names the executable with an empty string, musl with its first argument.
  bool is_executable = (uintptr_t)info->dlpi_phdr == getauxval(AT_PHDR);
  ssize_t size;
  if (name != NULL && name[0] != '\0' && !is_executable) {
    size = (ssize_t)strlen(name);
    header->path_truncated = size > (ssize_t)FL_PATH_MAX;
    if (header->path_truncated) size = FL_PATH_MAX;
    memcpy(header->path, name, (size_t)size);
  } else {
    size = readlink("/proc/self/exe", header->path, FL_PATH_MAX);
    header->path_truncated = size == (ssize_t)FL_PATH_MAX;
  }
  header->path_size = size > 0 ? (uint32_t)size : 0;
}

struct search {
  uintptr_t address;
  struct dl_phdr_info *found;
};

FL_LOCAL int find_image(struct dl_phdr_info *info, size_t size, void *context) {
  const struct search *search = context;
  if (!holds(info, search->address)) return 0;
  memcpy(search->found, info, size < sizeof *info ? size : sizeof *info);
  return 1;
}

/// Finds the image that contains `address`, and where its segments with all of these flags begin
/// and end, as link-time addresses. False if there is none.
FL_LOCAL bool find(const void *address, ElfW(Word) flags, struct dl_phdr_info *image,
                   uintptr_t *first, uintptr_t *last) {
  struct search search = {(uintptr_t)address, image};
  if (dl_iterate_phdr(find_image, &search) == 0) return false;
  *first = UINTPTR_MAX;
  *last = 0;
  for (int i = 0; i < image->dlpi_phnum; i++) {
    const ElfW(Phdr) *segment = &image->dlpi_phdr[i];
    if (segment->p_type != PT_LOAD || (segment->p_flags & flags) != flags) continue;
    uintptr_t start = segment->p_vaddr, end = start + segment->p_memsz;
    if (start < *first) *first = start;
    if (end > *last) *last = end;
  }
  return true;
}

FL_HIDDEN void fl_image_describe(struct fl_segment_header *header, const void *address) {
  struct dl_phdr_info image = {0};
  uintptr_t first, last;
  if (!find(address, 0, &image, &first, &last)) return;
  header->load_bias = image.dlpi_addr;
  header->image_start = first;
  header->image_size = last - first;
  size_t build_id_size = 0;
  const char *build_id = note_of(&image, "GNU", NT_GNU_BUILD_ID, &build_id_size);
  if (build_id != NULL && build_id_size <= FL_BUILD_ID_MAX) {
    memcpy(header->build_id, build_id, build_id_size);
    header->build_id_size = (uint32_t)build_id_size;
  }
  set_path(header, &image);
}

FL_HIDDEN bool fl_image_code(struct fl_image_code *code, const void *address) {
  struct dl_phdr_info image = {0};
  uintptr_t first, last;
  if (!find(address, PF_X, &image, &first, &last) || last == 0) return false;
  *code = (struct fl_image_code){.load_bias = image.dlpi_addr};
  code->start = code->load_bias + first;
  code->end = code->load_bias + last;
  for (int i = 0; i < image.dlpi_phnum; i++) {
    uintptr_t start = code->load_bias + image.dlpi_phdr[i].p_vaddr;
    if (image.dlpi_phdr[i].p_type == PT_GNU_EH_FRAME) code->frames = (const uint8_t *)start;
    if (image.dlpi_phdr[i].p_type == PT_DYNAMIC) code->dynamic = (const void *)start;
  }
  return true;
}

struct walk {
  int (*visit)(const char *contents, void *context);
  void *context;
};

FL_LOCAL int visit_note(struct dl_phdr_info *info, size_t size, void *context) {
  (void)size;
  struct walk *walk = context;
  size_t note_size = 0;
  const char *note = note_of(info, FL_NOTE_NAME, FL_NOTE_TYPE, &note_size);
  return note == NULL || note_size != 8 ? 0 : walk->visit(note, walk->context);
}

FL_HIDDEN bool fl_image_notes(int (*visit)(const char *contents, void *context), void *context) {
  struct walk walk = {visit, context};
  return dl_iterate_phdr(visit_note, &walk) != 0;
}

FL_HIDDEN bool fl_image_has_runtime(const void *address) {
  struct dl_phdr_info image = {0};
  struct search search = {(uintptr_t)address, &image};
  size_t size = 0;
  return dl_iterate_phdr(find_image, &search) != 0 &&
         note_of(&image, FL_NOTE_NAME, FL_NOTE_TYPE, &size) != NULL;
}

FL_LOCAL int call(struct dl_phdr_info *info, size_t size, void *context) {
  (void)info;
  (void)size;
  (*(void (**)(void))context)();
  return 1;
}

FL_HIDDEN void fl_image_alone(void (*work)(void)) {
  // The loader's lock is recursive, so `work` may call the loader too.
  dl_iterate_phdr(call, &work);
}

/// The loader lists the executable first.
FL_LOCAL int executable_holds(struct dl_phdr_info *info, size_t size, void *context) {
  (void)size;
  return holds(info, (uintptr_t)context) ? 1 : 2;
}

FL_HIDDEN bool fl_image_is_executable(const void *address) {
  return dl_iterate_phdr(executable_holds, (void *)address) == 1;
}

/// An image's dynamic symbols.
struct symbols {
  const ElfW(Sym) * table;
  const char *names;
  size_t names_size;
  const uint32_t *gnu_hash, *hash;
};

FL_LOCAL struct symbols symbols_of(const struct dl_phdr_info *info) {
  struct symbols symbols = {0};
  const ElfW(Dyn) *entry = NULL;
  for (int i = 0; i < info->dlpi_phnum; i++)
    if (info->dlpi_phdr[i].p_type == PT_DYNAMIC)
      entry = (const ElfW(Dyn) *)(info->dlpi_addr + info->dlpi_phdr[i].p_vaddr);
  for (; entry != NULL && entry->d_tag != DT_NULL; entry++) {
    // The loader relocates these addresses in place, except those of the vDSO.
    uintptr_t address = entry->d_un.d_ptr;
    if (address < info->dlpi_addr) address += info->dlpi_addr;
    if (entry->d_tag == DT_STRSZ) symbols.names_size = entry->d_un.d_val;
    if (entry->d_tag == DT_SYMTAB) symbols.table = (const ElfW(Sym) *)address;
    if (entry->d_tag == DT_STRTAB) symbols.names = (const char *)address;
    if (entry->d_tag == DT_GNU_HASH) symbols.gnu_hash = (const uint32_t *)address;
    if (entry->d_tag == DT_HASH) symbols.hash = (const uint32_t *)address;
  }
  return symbols;
}

/// The number of symbols to search to find the undefined ones that are not hashed.
FL_LOCAL size_t undefined_end(const struct symbols *symbols) {
  // The number of chains equals that of all symbols.
  if (symbols->hash != NULL) return symbols->hash[1];
  // The first hashed symbol, which follows the undefined ones. GNU ld writes 1 if none is hashed.
  if (symbols->gnu_hash != NULL && symbols->gnu_hash[1] > 1) return symbols->gnu_hash[1];
  uintptr_t table = (uintptr_t)symbols->table, names = (uintptr_t)symbols->names;
  return names > table ? (names - table) / sizeof(ElfW(Sym)) : 0;
}

/// Whether a symbol is an undefined one of this name. The runtime's own reference is weak.
FL_LOCAL bool is_binding(const struct symbols *symbols, size_t index, const char *name) {
  const ElfW(Sym) *symbol = &symbols->table[index];
  size_t size = strlen(name) + 1;
  return symbol->st_shndx == SHN_UNDEF && ELF64_ST_BIND(symbol->st_info) == STB_GLOBAL &&
         symbol->st_name < symbols->names_size && symbols->names_size - symbol->st_name >= size &&
         memcmp(symbols->names + symbol->st_name, name, size) == 0;
}

/// Looks the name up in the hash table: GNU ld also hashes undefined functions whose address is
/// taken.
FL_LOCAL bool is_hashed_binding(const struct symbols *symbols, const char *name) {
  const uint32_t *table = symbols->gnu_hash;
  if (table == NULL || table[0] == 0) return false;
  uint32_t hash = 5381;
  for (const char *at = name; *at != '\0'; at++) hash = hash * 33 + (unsigned char)*at;
  uint32_t buckets = table[0], first = table[1];
  // Four words, then a filter of addresses' size.
  const uint32_t *starts = table + 4 + table[2] * (sizeof(uintptr_t) / sizeof(uint32_t));
  const uint32_t *hashes = starts + buckets;
  for (uint32_t i = starts[hash % buckets]; i >= first && i != 0; i++) {
    if ((hashes[i - first] | 1) == (hash | 1) && is_binding(symbols, i, name)) return true;
    if ((hashes[i - first] & 1) != 0) break;
  }
  return false;
}

struct binding {
  const char *name;
  unsigned long long additions;  // number of loads at the last search, plus 1; 0 before the first
  bool is_new;
};

FL_LOCAL int visit_binding(struct dl_phdr_info *info, size_t size, void *context) {
  (void)size;
  struct binding *binding = context;
  // Without dlopen, musl's number is 0: it does not count images of the start.
  if (!binding->is_new && info->dlpi_adds + 1 == binding->additions) return 2;
  binding->is_new = true;
  binding->additions = info->dlpi_adds + 1;
  struct symbols symbols = symbols_of(info);
  if (symbols.table == NULL || symbols.names == NULL) return 0;
  for (size_t i = 1, end = undefined_end(&symbols); i < end; i++)
    if (is_binding(&symbols, i, binding->name)) return 1;
  return is_hashed_binding(&symbols, binding->name) ? 1 : 0;
}

FL_HIDDEN bool fl_image_any_binds(const char *name) {
  static unsigned long long additions;
  struct binding binding = {name, __atomic_load_n(&additions, __ATOMIC_RELAXED), false};
  bool binds = dl_iterate_phdr(visit_binding, &binding) == 1;
  // Relaxed: concurrent forks may search once too often.
  __atomic_store_n(&additions, binding.additions, __ATOMIC_RELAXED);
  return binds;
}
