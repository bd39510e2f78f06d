// Compiles the layout's static asserts; SwiftPM needs a source file in a C target.
#include "firstlight_abi.h"
