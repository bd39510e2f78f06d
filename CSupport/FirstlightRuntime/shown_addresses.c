#define _GNU_SOURCE
#include "shown_addresses.h"

#include <elf.h>
#include <link.h>
#include <stddef.h>

#if defined(__x86_64__)
#define SLOT R_X86_64_GLOB_DAT
#elif defined(__aarch64__)
#define SLOT R_AARCH64_GLOB_DAT
#endif

static const struct fl_shown *known;
static uintptr_t known_count;

struct slots {
  const ElfW(Rela) * relocations;
  uintptr_t size;
  const ElfW(Sym) * symbols;
};

FL_LOCAL struct slots slots_of(const struct fl_image_code *code) {
  struct slots slots = {0};
  const ElfW(Dyn) *entry = code->dynamic;
  for (; entry != NULL && entry->d_tag != DT_NULL; entry++) {
    // Some loaders relocate these addresses in place.
    uintptr_t address = entry->d_un.d_ptr;
    if (address < code->load_bias) address += code->load_bias;
    if (entry->d_tag == DT_RELA) slots.relocations = (const ElfW(Rela) *)address;
    if (entry->d_tag == DT_RELASZ) slots.size = entry->d_un.d_val;
    if (entry->d_tag == DT_SYMTAB) slots.symbols = (const ElfW(Sym) *)address;
  }
  if (slots.symbols == NULL || slots.relocations == NULL) slots.size = 0;
  return slots;
}

/// Inserts into the first `count` of a table in the order of `shown`.
FL_LOCAL void insert(struct fl_shown *table, uintptr_t count, struct fl_shown new) {
  uintptr_t at = count;
  for (; at > 0 && table[at - 1].shown > new.shown; at--) table[at] = table[at - 1];
  table[at] = new;
}

FL_HIDDEN uintptr_t fl_shown_find(const struct fl_image_code *code, struct fl_shown *table) {
  struct slots slots = slots_of(code);
  uintptr_t count = 0;
  for (uintptr_t i = 0; i < slots.size / sizeof *slots.relocations; i++) {
    const ElfW(Rela) *slot = &slots.relocations[i];
    if (ELF64_R_TYPE(slot->r_info) != SLOT) continue;
    const ElfW(Sym) *symbol = &slots.symbols[ELF64_R_SYM(slot->r_info)];
    if (ELF64_ST_TYPE(symbol->st_info) != STT_FUNC || symbol->st_shndx == SHN_UNDEF) continue;
    struct fl_shown found = {*(const uintptr_t *)(code->load_bias + slot->r_offset),
                             code->load_bias + symbol->st_value};
    if (found.shown == found.own) continue;
    if (table != NULL) insert(table, count, found);
    count++;
  }
  if (table != NULL) {
    known = table;
    known_count = count;
  }
  return count;
}

FL_HIDDEN uintptr_t fl_shown_own(uintptr_t shown) {
  uintptr_t low = 0, high = known_count;
  while (low < high) {
    uintptr_t middle = low + (high - low) / 2;
    if (known[middle].shown < shown) low = middle + 1;
    else high = middle;
  }
  return low < known_count && known[low].shown == shown ? known[low].own : 0;
}
