#define _GNU_SOURCE
#include "shown_addresses.h"

#include <elf.h>
#include <link.h>
#include <stdbool.h>
#include <stddef.h>

#if defined(__x86_64__)
#define SLOT R_X86_64_GLOB_DAT
#define LINKAGE_SLOT R_X86_64_JUMP_SLOT
#elif defined(__aarch64__)
#define SLOT R_AARCH64_GLOB_DAT
#define LINKAGE_SLOT R_AARCH64_JUMP_SLOT
#endif

static const struct fl_shown *known;
static uintptr_t known_count;

struct relocations {
  const ElfW(Rela) * first;
  uintptr_t size;
};

struct slots {
  struct relocations general, linkage;
  const ElfW(Sym) * symbols;
};

FL_LOCAL struct slots slots_of(const struct fl_image_code *code) {
  struct slots slots = {0};
  const ElfW(Dyn) *entry = code->dynamic;
  for (; entry != NULL && entry->d_tag != DT_NULL; entry++) {
    // Some loaders relocate these addresses in place.
    uintptr_t address = entry->d_un.d_ptr;
    if (address < code->load_bias) address += code->load_bias;
    if (entry->d_tag == DT_RELA) slots.general.first = (const ElfW(Rela) *)address;
    if (entry->d_tag == DT_RELASZ) slots.general.size = entry->d_un.d_val;
    if (entry->d_tag == DT_JMPREL) slots.linkage.first = (const ElfW(Rela) *)address;
    if (entry->d_tag == DT_PLTRELSZ) slots.linkage.size = entry->d_un.d_val;
    if (entry->d_tag == DT_SYMTAB) slots.symbols = (const ElfW(Sym) *)address;
  }
  if (slots.symbols == NULL || slots.general.first == NULL) slots.general.size = 0;
  if (slots.symbols == NULL || slots.linkage.first == NULL) slots.linkage.size = 0;
  return slots;
}

FL_LOCAL int count_note(const char *contents, void *count) {
  (void)contents;
  ++*(uintptr_t *)count;
  return 0;
}

struct search {
  const struct fl_image_code *code;
  const ElfW(Sym) * symbols;
  bool has_peers;
  struct fl_shown *table;
  uintptr_t room;
  uintptr_t count;
};

/// What a slot's address stands for. False if that is the function of this address, which needs no
/// entry, or one of another image with the runtime, whose calls this image cannot record.
FL_LOCAL bool describe(const struct search *search, const ElfW(Rela) * slot,
                       struct fl_shown *found) {
  const ElfW(Sym) *symbol = &search->symbols[ELF64_R_SYM(slot->r_info)];
  uintptr_t bias = search->code->load_bias;
  uintptr_t value = *(const uintptr_t *)(bias + slot->r_offset);
  bool is_linkage = ELF64_R_TYPE(slot->r_info) == LINKAGE_SLOT;
  if (symbol->st_shndx != SHN_UNDEF) {
    *found = (struct fl_shown){value, bias + symbol->st_value};
    return !is_linkage && ELF64_ST_TYPE(symbol->st_info) == STT_FUNC && found->shown != found->own;
  }
  // With a value, its address is that of an entry in the executable's linkage table.
  if (is_linkage && symbol->st_value == 0) return false;
  *found = (struct fl_shown){symbol->st_value != 0 ? bias + symbol->st_value : value, 0};
  // Functions that ran before relocation pass 0, as do copies of missing weak functions.
  if (found->shown == 0) return false;
  // A slot that is not bound yet holds an address of this image, which has the runtime.
  return !search->has_peers || !fl_image_has_runtime((const void *)value);
}

FL_LOCAL void search_slots(struct search *search, struct relocations slots) {
  for (uintptr_t i = 0; i < slots.size / sizeof *slots.first; i++) {
    const ElfW(Rela) *slot = &slots.first[i];
    uintptr_t type = ELF64_R_TYPE(slot->r_info);
    struct fl_shown found;
    if ((type != SLOT && type != LINKAGE_SLOT) || !describe(search, slot, &found)) continue;
    if (search->count < search->room) search->table[search->count] = found;
    search->count++;
  }
}

FL_LOCAL void sort(struct fl_shown *table, uintptr_t count) {
  for (uintptr_t gap = count / 2; gap > 0; gap /= 2)
    for (uintptr_t i = gap; i < count; i++) {
      struct fl_shown moved = table[i];
      uintptr_t at = i;
      for (; at >= gap && table[at - gap].shown > moved.shown; at -= gap)
        table[at] = table[at - gap];
      table[at] = moved;
    }
}

FL_HIDDEN uintptr_t fl_shown_find(const struct fl_image_code *code, struct fl_shown *table,
                                  uintptr_t room) {
  struct slots slots = slots_of(code);
  uintptr_t copies = 0;
  fl_image_notes(count_note, &copies);
  struct search search = {code, slots.symbols, copies > 1, table, room, 0};
  search_slots(&search, slots.general);
  search_slots(&search, slots.linkage);
  // Other threads may have bound slots since the caller counted.
  known_count = search.count < room ? search.count : room;
  known = table;
  sort(table, known_count);
  return search.count;
}

FL_HIDDEN const struct fl_shown *fl_shown_at(uintptr_t shown) {
  uintptr_t low = 0, high = known_count;
  while (low < high) {
    uintptr_t middle = low + (high - low) / 2;
    if (known[middle].shown < shown) low = middle + 1;
    else high = middle;
  }
  return low < known_count && known[low].shown == shown ? &known[low] : NULL;
}
