// BLAKE3 without key (O'Connor, Aumasson, Neves, Wilcox-O'Hearn: "BLAKE3, one function, fast
// everywhere"). lld makes build ids with it. In C because a debug build of Swift would exceed a
// worker's CPU time.
#include <string.h>

#include "worker_sandbox.h"

enum { CHUNK_START = 1, CHUNK_END = 2, PARENT = 4, ROOT = 8, CHUNK = 1024, BLOCK = 64 };

static const uint32_t start[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                  0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};

// A tree before its last compression, which has another flag if the tree is the whole input.
struct node {
  uint32_t chain[8], block[16], length, flags;
  uint64_t counter;
};

static uint32_t rotated(uint32_t word, int bits) { return word >> bits | word << (32 - bits); }

static void mix(uint32_t *s, int a, int b, int c, int d, uint32_t x, uint32_t y) {
  s[a] += s[b] + x;
  s[d] = rotated(s[d] ^ s[a], 16);
  s[c] += s[d];
  s[b] = rotated(s[b] ^ s[c], 12);
  s[a] += s[b] + y;
  s[d] = rotated(s[d] ^ s[a], 8);
  s[c] += s[d];
  s[b] = rotated(s[b] ^ s[c], 7);
}

static void compress(const struct node *node, bool is_root, uint32_t result[8]) {
  static const uint8_t order[16] = {2, 6, 3, 10, 7, 0, 4, 13, 1, 11, 12, 5, 9, 14, 15, 8};
  uint64_t counter = is_root ? 0 : node->counter;
  uint32_t s[16], message[16], next[16];
  memcpy(s, node->chain, sizeof node->chain);
  memcpy(s + 8, start, 4 * sizeof *start);
  s[12] = (uint32_t)counter;
  s[13] = (uint32_t)(counter >> 32);
  s[14] = node->length;
  s[15] = node->flags | (is_root ? ROOT : 0);
  memcpy(message, node->block, sizeof message);
  for (int round = 0; round < 7; round++) {
    for (int i = 0; i < 4; i++) mix(s, i, i + 4, i + 8, i + 12, message[2 * i], message[2 * i + 1]);
    for (int i = 0; i < 4; i++)
      mix(s, i, 4 + (i + 1) % 4, 8 + (i + 2) % 4, 12 + (i + 3) % 4, message[8 + 2 * i],
          message[9 + 2 * i]);
    for (int i = 0; i < 16; i++) next[i] = message[order[i]];
    memcpy(message, next, sizeof message);
  }
  for (int i = 0; i < 8; i++) result[i] = s[i] ^ s[i + 8];
}

static struct node chunk(const uint8_t *bytes, size_t count, uint64_t number) {
  struct node node = {.counter = number, .flags = CHUNK_START};
  memcpy(node.chain, start, sizeof start);
  for (;;) {
    size_t length = count < BLOCK ? count : BLOCK;
    memset(node.block, 0, sizeof node.block);
    for (size_t i = 0; i < length; i++) node.block[i / 4] |= (uint32_t)bytes[i] << i % 4 * 8;
    node.length = (uint32_t)length;
    bytes += length;
    count -= length;
    if (count == 0) break;
    uint32_t chain[8];
    compress(&node, false, chain);
    memcpy(node.chain, chain, sizeof chain);
    node.flags = 0;
  }
  node.flags |= CHUNK_END;
  return node;
}

// first: the number of the first chunk. The recursion is as deep as the logarithm of the size.
static struct node tree(const uint8_t *bytes, size_t count, uint64_t first) {
  if (count <= CHUNK) return chunk(bytes, count, first);
  // The left tree is the largest full one that leaves something for the right.
  size_t left = CHUNK;
  while (left * 2 < count) left *= 2;
  struct node a = tree(bytes, left, first);
  struct node b = tree(bytes + left, count - left, first + left / CHUNK);
  struct node node = {.length = BLOCK, .flags = PARENT};
  memcpy(node.chain, start, sizeof start);
  compress(&a, false, node.block);
  compress(&b, false, node.block + 8);
  return node;
}

void fl_blake3(const void *bytes, size_t count, uint8_t hash[32]) {
  struct node node = tree(bytes, count, 0);
  uint32_t words[8];
  compress(&node, true, words);
  for (int i = 0; i < 32; i++) hash[i] = (uint8_t)(words[i / 4] >> i % 4 * 8);
}
