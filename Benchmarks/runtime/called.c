// The function whose instrumentation is timed; built once for each peer.
void called(void) { __asm__ volatile(""); }
