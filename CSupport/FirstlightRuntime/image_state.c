#include "image_state.h"

struct fl_image_state fl_image_state = {.generation = 1};
