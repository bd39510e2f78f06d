// Compiles the layout's static asserts; SwiftPM wants a source file in a C target.
#include "firstlight_abi.h"
