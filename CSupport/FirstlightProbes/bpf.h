// The calls of bpf(2) that the recorder needs.
#ifndef FL_PROBES_BPF_H
#define FL_PROBES_BPF_H

#include <stdint.h>

/// An array that this process can map. Returns a descriptor, or -1 with an errno.
int fl_bpf_array(uint32_t value_size, uint32_t count);

/// The program that records a first call in `calls`, an array of `struct fl_probe_call`, by the
/// number that the link gives the function, and counts every call in `hits`, an array of one
/// uint64_t.
int fl_bpf_program(int calls, int hits);

/// Makes the kernel run the program at these places of a file, in one process, or for 0 in all.
int fl_bpf_link(int program, const char *path, uint32_t process, const uint64_t *offsets,
                const uint64_t *numbers, uint32_t count);

#endif
