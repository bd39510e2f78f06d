#include "c_core.h"

static int twice(int value) { return value * 2; }

int c_core_called(int value) { return twice(value) + 1; }

int c_core_never_called(int value) { return value - 1; }
