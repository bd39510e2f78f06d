// The layout of the files that the runtime writes and TraceReader reads. Both include this header.
//
// A recording process writes into $FIRSTLIGHT_DIR:
//
//   <pid>-<start>-<key>.process        one page: the process's identity and sequence counter
//   <pid>-<start>-<key>-<n>.segment    first calls of one image with guards or entry hooks
//   <pid>-<start>-<key>.marks          marks of the program; made with its first mark
//   <pid>-<start>-<key>-<n>.counters   segment n's image, if it is counted: LLVM's raw format
//   <pid>-<start>-<key>.ready          empty; made when the program says it is ready
//
// A recorder that watches a process from outside, through breakpoints or the kernel's probes,
// writes the first two kinds in its place, with a key of its own (struct fl_watch).
//
// <pid> decimal; <start> the process's start time in clock ticks since boot (/proc/PID/stat, field
// 22), decimal; <key> 16 hex digits that differ for each exec (a digest of AT_RANDOM); <n> decimal.
// Each file is made under a name that starts with "." and renamed when its header is complete, so a
// reader that sees one of the names above sees a complete header.
//
//   segment:  0      +---------------------------+
//                    | struct fl_segment_header  |  written once, but for count and drops
//             4096   +---------------------------+
//                    | struct fl_record [0]      |  write-once slots; slot i is valid when its
//                    | struct fl_record [1]      |  `guard` is not 0 (stored last, with release)
//                    | ...                       |
//                    | struct fl_record [cap-1]  |  cap = the image's number of guards
//                    +---------------------------+
//
//   A watcher's segment grows with its records, of which a gap is one: a record with thread 0 says
//   that the functions from `guard` - 1 on, as many as `caller` says and one more, may have been
//   called unseen.
//
//   marks:    0      +---------------------------+
//                    | struct fl_marks_header    |  written once, but for its last cache line
//             4096   +---------------------------+
//                    | struct fl_mark [0]        |  write-once slots; slot i is valid when its
//                    | ...                       |  `kind` is not 0 (stored last, with release);
//                    | struct fl_mark [8191]     |  a span's `duration` is stored when it ends
//             266240 +---------------------------+
//                    | text                      |  names, one behind the other; a slot says where
//             524288 +---------------------------+
//
// All integers are little-endian, with fixed widths. Layout changes raise FL_ABI_VERSION; a reader
// refuses unknown versions. A new field in former padding, with 0 for no information, is no such
// change: older readers ignore it.
#ifndef FIRSTLIGHT_ABI_H
#define FIRSTLIGHT_ABI_H

#include <stddef.h>
#include <stdint.h>

#define FL_ABI_VERSION 1u
#define FL_HEADER_SIZE 4096u
#define FL_RECORD_SIZE 24u
#define FL_BUILD_ID_MAX 64u
#define FL_PATH_MAX 2048u
#define FL_COMMAND_MAX 1024u
#define FL_MARK_SIZE 32u
#define FL_MARK_CAPACITY 8192u
#define FL_MARK_TEXT_SIZE 258048u
#define FL_MARK_NAME_MAX 1024u
#define FL_MARKS_SIZE (FL_HEADER_SIZE + FL_MARK_SIZE * FL_MARK_CAPACITY + FL_MARK_TEXT_SIZE)

// "FLSEGMNT", "FLPROCES" and "FLPMARKS" read as little-endian 64-bit numbers.
#define FL_SEGMENT_MAGIC 0x544e4d4745534c46ull
#define FL_PROCESS_MAGIC 0x5345434f52504c46ull
#define FL_MARKS_MAGIC 0x534b52414d504c46ull

// Recorders. With entry hooks, a function's index is the place of its address in the image's table
// of unwind entries (.eh_frame_hdr), and stands wherever a guard's index does. A watcher's index is
// the rank of the function's address among all its file's functions, and `caller` is that address.
#define FL_RECORDER_GUARDS 0u
#define FL_RECORDER_ENTRY_HOOKS 1u
#define FL_RECORDER_BREAKPOINTS 2u

// One first call.
struct fl_record {
  uint32_t guard;  // guard index + 1; 0 if not committed (yet)
  uint32_t thread;  // kernel thread id
  uint64_t time;  // CLOCK_MONOTONIC, ns
  uint32_t sequence;  // process-wide, counts from 0 over all images
  uint32_t caller;  // the hook's return address, as bytes from the image's first mapped byte
};

// Identity of a process: the combination is unique among all programs ever run on a host.
struct fl_process_id {
  uint32_t pid;  // as the process itself sees it
  uint32_t pid_namespace;  // inode of /proc/self/ns/pid; 0 if unknown
  uint64_t start;  // clock ticks since boot; 0 if unknown
  uint64_t key;  // differs for each exec
};

struct fl_segment_header {
  uint64_t magic;  // FL_SEGMENT_MAGIC
  uint32_t version;
  uint32_t header_size;  // FL_HEADER_SIZE
  uint32_t record_size;  // FL_RECORD_SIZE
  uint32_t capacity;  // records that fit; the image's number of guards, unwind entries or functions
  struct fl_process_id process;
  uint64_t monotonic;  // CLOCK_MONOTONIC when this segment was made, ns
  uint64_t realtime;  // CLOCK_REALTIME at the same moment, ns
  uint64_t load_bias;  // run-time address minus link-time address
  uint64_t image_start;  // link-time address of the image's first mapped byte
  uint64_t image_size;  // bytes from there to the end of its last mapped segment
  uint64_t guards_start;  // link-time address of the first guard; with entry hooks, of the first
                          // entry in .eh_frame_hdr's table; 0 of a watcher
  uint8_t reserved[12];
  uint32_t build_id_size;  // bytes of build_id in use; 0 if the image has none
  uint8_t build_id[FL_BUILD_ID_MAX];
  uint32_t path_size;  // bytes of path in use, without a final NUL
  uint32_t path_truncated;  // 1 if the path was longer than FL_PATH_MAX
  char path[FL_PATH_MAX];
  uint32_t recorder;  // FL_RECORDER_...
  uint32_t is_spare;  // 1: a watched program without symbols, of use only if no other was watched
  uint32_t stands_alone;  // 1: this start shows nothing of what others did in the image before they
                          // were watched there: they were started otherwise
  uint8_t padding[1788];
  // Written while the program runs; a cache line of their own.
  uint32_t count;  // reserved slots
  uint32_t drops;  // first calls that could not be recorded
  uint64_t watched_since;  // CLOCK_MONOTONIC from which all functions without a gap were watched;
                           // 0: from the image's first instruction; ~0: not all of them are yet
  uint8_t padding_end[48];
};

// How a process was watched. All 0 in the file of a process that records itself.
struct fl_watch {
  uint32_t recorder;  // process id of the watcher
  uint32_t is_late;  // 1: the process, or one it was forked from, had begun before; calls until
                     // then are unknown
  uint64_t recorder_start;  // as of fl_process_id
  uint64_t until;  // CLOCK_MONOTONIC, rising: all first calls before are recorded; 0: unknown
  uint64_t ended;  // CLOCK_MONOTONIC when the watch ended; 0: it goes on, or the watcher was killed
  uint32_t unrecorded;  // processes forked from this one that could not be watched
  uint32_t running;  // processes that ran on after the end: this one, and forked ones without files
  uint32_t engine;  // FL_WATCH_...
  uint32_t reserved;
};

// How a watcher sees calls.
#define FL_WATCH_PTRACE 0u  // breakpoints of a tracer
#define FL_WATCH_PROBES 1u  // the kernel's probes

struct fl_process_header {
  uint64_t magic;  // FL_PROCESS_MAGIC
  uint32_t version;
  uint32_t header_size;  // FL_HEADER_SIZE
  struct fl_process_id process;
  uint32_t parent_pid;
  uint32_t user;  // effective user id
  uint64_t monotonic;  // CLOCK_MONOTONIC when this file was made, ns
  uint64_t realtime;  // CLOCK_REALTIME at the same moment, ns
  struct fl_process_id forked_from;  // pid 0: started by exec. Else the recording process it was
                                     // forked from, whose first calls it does not repeat
  uint32_t forked_at;  // that process's sequence at the fork
  uint32_t path_size;
  uint32_t path_truncated;
  uint32_t command_size;  // bytes of command in use: arguments, each ended by NUL
  uint32_t command_truncated;
  uint32_t reserved;
  char path[FL_PATH_MAX];  // the executable
  char command[FL_COMMAND_MAX];
  struct fl_watch watch;
  uint8_t padding[800];
  // Written while the program runs; a cache line of their own.
  uint32_t sequence;  // number of first calls so far
  uint32_t images;  // segments requested so far, including lost ones of forked children
  uint32_t lost_images;  // number of these that could not be created
  uint32_t lost_error;  // errno of the last that could not be created
  uint64_t ready;  // CLOCK_MONOTONIC when the program reported readiness; 0 before
  uint32_t paused;  // nonzero while the program has paused recording
  uint32_t reported;  // nonzero once the line on standard error was written
  uint32_t notices;  // FL_NOTICE_... that were not written to standard error
  uint32_t notice_error;  // errno of the last notice; 0 if none
  uint64_t stderr_device;  // standard error at the program's start; both 0 if it had none
  uint64_t stderr_inode;
  uint8_t padding_end[8];
};

// Notices of a process, or of one forked from it, that were not written to standard error.
#define FL_NOTICE_FORK 1u  // a forked process could not be recorded
#define FL_NOTICE_SEGMENT 2u  // a segment could not be made
#define FL_NOTICE_MARKS 4u  // the marks file could not be made
#define FL_NOTICE_CUT 8u  // a file was truncated
#define FL_NOTICE_CONFINED 16u  // a forked process was not recorded: it is or may be confined
#define FL_NOTICE_MARKS_CONFINED 32u  // the same before a process's first mark

// Kinds of marks.
#define FL_MARK_MOMENT 1u
#define FL_MARK_SPAN 2u

// One mark or span.
struct fl_mark {
  uint32_t kind;  // FL_MARK_MOMENT or FL_MARK_SPAN; 0 if not committed (yet)
  uint32_t thread;  // kernel id of the thread that set the mark or began the span
  uint64_t time;  // CLOCK_MONOTONIC of the mark or the span's start, ns
  uint64_t duration;  // duration of an ended span, ns, at least 1; else 0
  uint32_t name;  // offset of the name from the start of the text, bytes
  uint32_t name_size;  // bytes, without a final NUL; at most FL_MARK_NAME_MAX
};

struct fl_marks_header {
  uint64_t magic;  // FL_MARKS_MAGIC
  uint32_t version;
  uint32_t header_size;  // FL_HEADER_SIZE
  uint32_t mark_size;  // FL_MARK_SIZE
  uint32_t capacity;  // number of slots: FL_MARK_CAPACITY
  uint32_t text_size;  // size of the text in bytes: FL_MARK_TEXT_SIZE
  uint32_t reserved;
  struct fl_process_id process;
  uint64_t monotonic;  // CLOCK_MONOTONIC when this file was made, ns
  uint8_t padding[3968];
  // Written while the program runs; a cache line of their own.
  uint64_t used;  // handed out: bytes of text (low half) and slots (high half), as one number,
                  // so that a mark takes both at once; may be a little more than there are
  uint32_t drops;  // marks lost because the file was full
  uint8_t padding_end[52];
};

#ifndef __cplusplus
_Static_assert(sizeof(struct fl_mark) == FL_MARK_SIZE, "mark layout");
_Static_assert(sizeof(struct fl_marks_header) == FL_HEADER_SIZE, "marks header layout");
_Static_assert(offsetof(struct fl_marks_header, used) == 4032, "counters on their own line");
_Static_assert(FL_MARKS_SIZE == 524288, "marks file layout");
_Static_assert(sizeof(struct fl_record) == FL_RECORD_SIZE, "record layout");
_Static_assert(sizeof(struct fl_process_id) == 24, "process id layout");
_Static_assert(sizeof(struct fl_segment_header) == FL_HEADER_SIZE, "segment header layout");
_Static_assert(sizeof(struct fl_process_header) == FL_HEADER_SIZE, "process header layout");
_Static_assert(offsetof(struct fl_segment_header, count) == 4032, "counters on their own line");
_Static_assert(offsetof(struct fl_process_header, sequence) == 4032, "counters on their own line");
#endif

#endif
