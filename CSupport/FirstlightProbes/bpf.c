#define _GNU_SOURCE
#include "bpf.h"

#include <linux/bpf.h>
#include <stddef.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "include/firstlight_probes.h"

// The headers of older systems lack these (linux/bpf.h of Linux 6.6).
enum { TRACE_UPROBE_MULTI = 48, GET_ATTACH_COOKIE = 174 };

/// The part of `union bpf_attr` that makes a link of this kind.
struct link_attributes {
  uint32_t program, target, attach_type, flags;
  uint64_t path, offsets, counters, cookies;
  uint32_t count, probe_flags, process, padding;
};

static int bpf(int command, void *attributes, unsigned size) {
  return (int)syscall(SYS_bpf, command, attributes, size);
}

int fl_bpf_array(uint32_t value_size, uint32_t count) {
  union bpf_attr attributes;
  memset(&attributes, 0, sizeof attributes);
  attributes.map_type = BPF_MAP_TYPE_ARRAY;
  attributes.key_size = sizeof(uint32_t);
  attributes.value_size = value_size;
  attributes.max_entries = count;
  attributes.map_flags = BPF_F_MMAPABLE;
  return bpf(BPF_MAP_CREATE, &attributes, sizeof attributes);
}

#define INSTRUCTION(operation, target, source, offset, number)                      \
  (struct bpf_insn) {                                                               \
    .code = (operation), .dst_reg = (target), .src_reg = (source), .off = (offset), \
    .imm = (number)                                                                 \
  }
#define CALL(function) INSTRUCTION(BPF_JMP | BPF_CALL, 0, 0, 0, function)
#define MOVE(target, source) INSTRUCTION(BPF_ALU64 | BPF_MOV | BPF_X, target, source, 0, 0)
#define SET(target, number) INSTRUCTION(BPF_ALU64 | BPF_MOV | BPF_K, target, 0, 0, number)
#define ADD(target, number) INSTRUCTION(BPF_ALU64 | BPF_ADD | BPF_K, target, 0, 0, number)
#define LOAD(target, source, offset) \
  INSTRUCTION(BPF_LDX | BPF_MEM | BPF_DW, target, source, offset, 0)
#define STORE(target, offset, source) \
  INSTRUCTION(BPF_STX | BPF_MEM | BPF_DW, target, source, offset, 0)
#define STORE_WORD(target, offset, source) \
  INSTRUCTION(BPF_STX | BPF_MEM | BPF_W, target, source, offset, 0)
#define SKIP_IF(condition, target, number, count) \
  INSTRUCTION(BPF_JMP | (condition) | BPF_K, target, 0, count, number)
#define ATOMIC(target, offset, source, operation) \
  INSTRUCTION(BPF_STX | BPF_ATOMIC | BPF_DW, target, source, offset, operation)
#define MAP(target, descriptor)                                                     \
  INSTRUCTION(BPF_LD | BPF_DW | BPF_IMM, target, BPF_PSEUDO_MAP_FD, 0, descriptor), \
      INSTRUCTION(0, 0, 0, 0, 0)

// Sets register 0 to the address of the value whose key is on the stack; 0: there is none.
#define LOOK_UP(map) MAP(1, map), MOVE(2, BPF_REG_10), ADD(2, KEY), CALL(BPF_FUNC_map_lookup_elem)

static int load(const struct bpf_insn *program, unsigned count) {
  union bpf_attr attributes;
  memset(&attributes, 0, sizeof attributes);
  attributes.prog_type = BPF_PROG_TYPE_KPROBE;
  attributes.expected_attach_type = TRACE_UPROBE_MULTI;
  attributes.insn_cnt = count;
  attributes.insns = (uint64_t)(uintptr_t)program;
  // The helpers are for programs under the GPL; these instructions are.
  attributes.license = (uint64_t)(uintptr_t)"Dual MIT/GPL";
  return bpf(BPF_PROG_LOAD, &attributes, sizeof attributes);
}

int fl_bpf_start_program(int starts, int hits) {
  enum { KEY = -4, NUMBER = BPF_REG_7, VALUE = BPF_REG_6, STACK = BPF_REG_10 };
  const struct bpf_insn program[] = {
      // number = hits[FL_HITS_STARTS]++
      SET(1, FL_HITS_STARTS),
      STORE_WORD(STACK, KEY, 1),
      LOOK_UP(hits),
      SKIP_IF(BPF_JEQ, 0, 0, 19),
      SET(NUMBER, 1),
      ATOMIC(0, 0, NUMBER, BPF_ADD | BPF_FETCH),
      // Its place in `starts`.
      MOVE(1, NUMBER),
      INSTRUCTION(BPF_ALU64 | BPF_AND | BPF_K, 1, 0, 0, FL_PROBE_STARTS - 1),
      STORE_WORD(STACK, KEY, 1),
      LOOK_UP(starts),
      SKIP_IF(BPF_JEQ, 0, 0, 8),
      MOVE(VALUE, 0),
      CALL(BPF_FUNC_get_current_pid_tgid),
      STORE(VALUE, offsetof(struct fl_probe_start, caller), 0),
      CALL(BPF_FUNC_ktime_get_ns),
      STORE(VALUE, offsetof(struct fl_probe_start, time), 0),
      ADD(NUMBER, 1),
      // An exchange orders all stores before it.
      MOVE(1, NUMBER),
      ATOMIC(VALUE, offsetof(struct fl_probe_start, number), 1, BPF_XCHG),
      SET(0, 0),
      INSTRUCTION(BPF_JMP | BPF_EXIT, 0, 0, 0, 0),
  };
  return load(program, sizeof program / sizeof *program);
}

int fl_bpf_program(int calls, int hits) {
  enum { KEY = -4, FUNCTION = BPF_REG_7, VALUE = BPF_REG_6, STACK = BPF_REG_10 };
  const struct bpf_insn program[] = {
      CALL(GET_ATTACH_COOKIE),  // its argument, the context, is in register 1
      MOVE(FUNCTION, 0),
      // hits[FL_HITS_CALLS] += 1
      SET(1, FL_HITS_CALLS),
      STORE_WORD(STACK, KEY, 1),
      LOOK_UP(hits),
      SKIP_IF(BPF_JEQ, 0, 0, 2),
      SET(1, 1),
      ATOMIC(0, 0, 1, BPF_ADD),
      // The function's entry in `calls`.
      STORE_WORD(STACK, KEY, FUNCTION),
      LOOK_UP(calls),
      SKIP_IF(BPF_JEQ, 0, 0, 10),
      MOVE(VALUE, 0),
      LOAD(1, VALUE, offsetof(struct fl_probe_call, caller)),
      SKIP_IF(BPF_JNE, 1, 0, 7),  // it was called before
      CALL(BPF_FUNC_get_current_pid_tgid),
      MOVE(1, 0),
      // Of several threads that come at once, the one that finds 0 was first.
      SET(0, 0),
      ATOMIC(VALUE, offsetof(struct fl_probe_call, caller), 1, BPF_CMPXCHG),
      SKIP_IF(BPF_JNE, 0, 0, 2),
      CALL(BPF_FUNC_ktime_get_ns),
      STORE(VALUE, offsetof(struct fl_probe_call, time), 0),
      SET(0, 0),
      INSTRUCTION(BPF_JMP | BPF_EXIT, 0, 0, 0, 0),
  };
  return load(program, sizeof program / sizeof *program);
}

int fl_bpf_link(int program, const char *path, uint32_t process, const uint64_t *offsets,
                const uint64_t *numbers, uint32_t count) {
  struct link_attributes attributes = {
      .program = (uint32_t)program,
      .attach_type = TRACE_UPROBE_MULTI,
      .path = (uint64_t)(uintptr_t)path,
      .offsets = (uint64_t)(uintptr_t)offsets,
      .cookies = (uint64_t)(uintptr_t)numbers,
      .count = count,
      .process = process,
  };
  return bpf(BPF_LINK_CREATE, &attributes, sizeof attributes);
}
