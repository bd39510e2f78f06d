// Why a Swift program does not answer from its index whether a type conforms to a protocol: the
// argument of `firstlight_conformances_unused`, at which `firstlight launch` stops.
#ifndef FIRSTLIGHT_CONFORMANCES_H
#define FIRSTLIGHT_CONFORMANCES_H

enum fl_conformances_refusal {
  FL_CONFORMANCES_USED,            // it does
  FL_CONFORMANCES_UNKNOWN_SWIFT,   // not Swift 6.0 to 6.3
  FL_CONFORMANCES_UNKNOWN_RECORD,  // a record is not as in these versions
  FL_CONFORMANCES_OTHER_IMAGE,     // a library has records, too
  FL_CONFORMANCES_NO_MEMORY,
};

#endif
