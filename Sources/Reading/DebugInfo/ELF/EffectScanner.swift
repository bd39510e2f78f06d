import FirstlightModel

/// Finds functions with an effect that no compiler removes: they call, directly or through others, a function of the
/// C library that writes, reads, opens, ends and the like. A compiler removes calls of functions without effect,
/// and of those that only write memory which is never read.
///
/// x86-64: `call`, `jmp` and conditional jumps with a 32-bit distance to the start of a function; aarch64: `bl` and
/// `b`. Such bytes may also be part of other instructions, but these lead to the start of a function by chance
/// only once in millions. Short jumps would do so often, so they are not followed.
struct EffectScanner {
  private let image: DebugImage
  private let starts: Set<UInt64>
  /// By the start of a function: the starts of those that call it.
  private var callers: [UInt64: [UInt64]] = [:]

  init(_ image: DebugImage) {
    self.image = image
    starts = Set(image.symbols.entries.map(\.address))
    for section in image.elf.sections
    where section.isExecutable && section.hasContents && !section.name.hasPrefix(".plt") {
      scan(image.elf.contents(section), at: section.address)
    }
  }

  /// The starts of functions with an effect.
  func functions() -> Set<UInt64> {
    var scanner = CallScanner(image, names: Self.effects, includesJumps: true)
    var found = scanner.callers()
    var next = Array(found)
    while let function = next.popLast() {
      for caller in callers[function] ?? [] where found.insert(caller).inserted {
        next.append(caller)
      }
    }
    return found
  }

  private mutating func scan(_ code: Bytes, at base: UInt64) {
    let isArm = image.elf.machine == ELFFile.aarch64
    var offset = 0
    while offset + (isArm ? 4 : 5) <= code.count {
      let place = base &+ UInt64(offset)
      let target =
        isArm
        ? ArmAddress.ofBranch((code.base + offset).loadUnaligned(as: UInt32.self), at: place)
        : Self.jump(code, offset, at: place)
      if let target, starts.contains(target), let index = image.symbols.index(containing: place) {
        let caller = image.symbols.entries[index].address
        if caller != target { callers[target, default: []].append(caller) }
      }
      offset += isArm ? 4 : 1
    }
  }

  private static func jump(_ code: Bytes, _ offset: Int, at place: UInt64) -> UInt64? {
    func byte(_ at: Int) -> UInt8 { (code.base + at).load(as: UInt8.self) }
    let first = byte(offset)
    let length: Int
    if first == 0xe8 || first == 0xe9 {
      length = 1
    } else if first == 0x0f, byte(offset + 1) & 0xf0 == 0x80, offset + 6 <= code.count {
      length = 2
    } else {
      return nil
    }
    let distance = (code.base + offset + length).loadUnaligned(as: Int32.self)
    return place &+ UInt64(length + 4) &+ UInt64(bitPattern: Int64(distance))
  }

  /// Functions that no compiler knows how to do without. `malloc`, `memcpy`, `strlen`, `sprintf` and the like are not
  /// among them.
  private static let effects: Set<String> = [
    "printf", "fprintf", "vprintf", "vfprintf", "puts", "fputs", "fputc", "putc", "putchar",
    "__printf_chk", "__fprintf_chk", "__vfprintf_chk", "perror", "fwrite", "fread", "fgets",
    "fgetc",
    "getc", "getchar", "getline", "ungetc", "fflush", "fopen", "fopen64", "fdopen", "freopen",
    "fclose", "popen", "pclose", "fseek", "fseeko", "ftell", "ftello", "rewind", "setvbuf",
    "setbuf",
    "remove", "rename", "tmpfile", "read", "write", "open", "open64", "openat", "close", "lseek",
    "lseek64", "unlink", "mkdir", "rmdir", "chmod", "stat", "fstat", "lstat", "stat64", "fstat64",
    "ioctl", "fcntl", "pipe", "dup", "dup2", "mmap", "munmap", "getrandom", "getentropy", "opendir",
    "readdir", "closedir", "exit", "_exit", "abort", "__assert_fail", "longjmp", "_longjmp",
    "siglongjmp", "__longjmp_chk", "raise", "kill", "signal", "sigaction", "fork", "execv",
    "execvp",
    "execve", "waitpid", "system", "dlopen", "dlclose", "dlsym", "dlerror", "setlocale", "setenv",
    "putenv", "srand", "rand", "random", "srandom", "time", "clock", "gettimeofday",
    "clock_gettime", "sleep", "usleep", "nanosleep", "socket", "connect", "bind", "listen",
    "accept",
    "send", "recv", "poll", "select", "pthread_create", "pthread_join", "pthread_mutex_lock",
    "pthread_mutex_unlock", "pthread_cond_wait", "pthread_cond_signal", "pthread_cond_broadcast",
  ]
}
