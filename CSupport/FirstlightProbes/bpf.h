// The calls of bpf(2) that the recorder needs.
#ifndef FL_PROBES_BPF_H
#define FL_PROBES_BPF_H

#include <stdint.h>

/// The places in `hits`.
enum { FL_HITS_CALLS, FL_HITS_STARTS, FL_HITS_COUNT };

/// An array that this process can map. Returns a descriptor, or -1 with an errno.
int fl_bpf_array(uint32_t value_size, uint32_t count);

/// The program that records a first call in `calls`, an array of `struct fl_probe_call`, by the
/// number that the link gives the function, and counts every call in `hits`, an array of
/// FL_HITS_COUNT uint64_t.
int fl_bpf_program(int calls, int hits);

/// The program that notes the start of a process in `starts`, an array of FL_PROBE_STARTS
/// `struct fl_probe_start`, and counts in `hits`.
int fl_bpf_start_program(int starts, int hits);

/// Makes the kernel run the program at these places of a file, in one process, or for 0 in all.
int fl_bpf_link(int program, const char *path, uint32_t process, const uint64_t *offsets,
                const uint64_t *numbers, uint32_t count);

#endif
