// Clocks in nanoseconds.
#ifndef FL_CLOCK_H
#define FL_CLOCK_H

#include "attributes.h"

/// The time of a clock in nanoseconds; 0 if the clock cannot be read.
FL_HIDDEN unsigned long long fl_clock(int clock);

#endif
