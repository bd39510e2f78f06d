#include "frame.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "firstlight_index_store.h"

static unsigned char *more(struct frame *frame, size_t size) {
  if (frame->room - frame->size < size) {
    size_t room = 2 * (frame->room + size) + 4096;
    unsigned char *bytes = realloc(frame->bytes, room);
    if (bytes == NULL) _exit(1);
    frame->bytes = bytes;
    frame->room = room;
  }
  unsigned char *place = frame->bytes + frame->size;
  frame->size += size;
  return place;
}

void frame_number(struct frame *frame, uint32_t number) {
  memcpy(more(frame, sizeof number), &number, sizeof number);
}

size_t frame_reserve(struct frame *frame) {
  size_t place = frame->size;
  frame_number(frame, 0);
  return place;
}

void frame_set(struct frame *frame, size_t place, uint32_t number) {
  memcpy(frame->bytes + place, &number, sizeof number);
}

void frame_text(struct frame *frame, struct ix_text text) {
  if (text.size > UINT32_MAX / 4) _exit(1);
  frame_number(frame, (uint32_t)text.size);
  size_t padded = (text.size + 3) / 4 * 4;
  unsigned char *place = more(frame, padded);
  memset(place, 0, padded);
  if (text.size > 0) memcpy(place, text.bytes, text.size);
}

void frame_begin(struct frame *frame, uint32_t kind) {
  frame->size = 0;
  frame_number(frame, kind);
  frame_number(frame, 0);
}

void frame_send(struct frame *frame, int output) {
  size_t payload = frame->size - sizeof(struct fl_index_frame);
  if (payload > UINT32_MAX) _exit(1);
  frame_set(frame, offsetof(struct fl_index_frame, size), (uint32_t)payload);
  for (size_t sent = 0; sent < frame->size;) {
    ssize_t count = write(output, frame->bytes + sent, frame->size - sent);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) _exit(1);
    sent += (size_t)count;
  }
}
