#include "hash.h"

uint64_t hash_bytes(const char *bytes, size_t length) {
  uint64_t hash = 0xcbf29ce484222325u;
  for (size_t i = 0; i < length; i++) {
    hash ^= (unsigned char)bytes[i];
    hash *= 0x100000001b3u;
  }
  return hash;
}
