// A library that steered.c is linked with.
void library_one(void) {}
void library_two(void) {}
