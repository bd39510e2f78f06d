// Frames as they are put together and sent.
#ifndef FIRSTLIGHT_INDEX_FRAME_H
#define FIRSTLIGHT_INDEX_FRAME_H
#include <stddef.h>
#include <stdint.h>

#include "library.h"

// One frame; its memory is used again for the next.
struct frame {
  unsigned char *bytes;
  size_t size;
  size_t room;
};

// Out of memory, and a reader that is gone, end the process: it is a child that only sends.
void frame_begin(struct frame *frame, uint32_t kind);
void frame_number(struct frame *frame, uint32_t number);
void frame_text(struct frame *frame, struct ix_text text);

// Adds a number to be known later; returns its place.
size_t frame_reserve(struct frame *frame);
void frame_set(struct frame *frame, size_t place, uint32_t number);

void frame_send(struct frame *frame, int output);
#endif
