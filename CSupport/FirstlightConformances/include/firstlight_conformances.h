// The table that `firstlight optimize` fills in: which type of a program conforms to which
// protocol.
//
//   bytes  0..15  FL_CONFORMANCES_MARK, by which the tool finds the table in the object file
//         16..19  number of records in swift5_protocol_conformances; 0 if not filled in
//         20..23  binary logarithm of the number of slots
//         24..31  digest of all pairs of type and protocol, in the order of the records
//         32..    slots of 32 bits
//
// A slot is 0 if it is free. Otherwise its low bits are a record's number, from 1, and the bits
// above are part of the hash of the record's pair; the low bits are as many as the number of
// records has. A pair begins in the slot that the high bits of its hash name, or in the next free
// one.
//
// A pair is one 64-bit number: the type descriptor's offset from the first record in the high half,
// the protocol descriptor's in the low half, 0 for a missing one. These change less from build to
// build than addresses do. A pair's hash, and the digest after it:
//
//   hash = pair * FL_CONFORMANCES_FIRST; hash ^= hash >> 32; hash *= FL_CONFORMANCES_SECOND
//   digest = (digest ^ pair) * FL_CONFORMANCES_FIRST; digest ^= digest >> 32
//
// Numbers are in the machine's byte order.
#ifndef FIRSTLIGHT_CONFORMANCES_H
#define FIRSTLIGHT_CONFORMANCES_H

#include <stdint.h>

#define FL_CONFORMANCES_MARK "firstlight.confs"
#define FL_CONFORMANCES_FIRST UINT64_C(0x9E3779B97F4A7C15)
#define FL_CONFORMANCES_SECOND UINT64_C(0xD6E8FEB86659FD93)

// Compilers with this attribute warn about a string without a final NUL.
#if defined(__has_attribute) && __has_attribute(nonstring)
#define FL_NONSTRING __attribute__((nonstring))
#else
#define FL_NONSTRING
#endif

struct fl_conformances_table {
  char mark[16] FL_NONSTRING;
  uint32_t records;
  uint32_t slot_bits;
  uint64_t digest;
  uint32_t slots[];
};

_Static_assert(sizeof(struct fl_conformances_table) == 32, "the tool writes by these offsets");

#endif
