/// One program header of an ELF file, 64-bit (System V ABI, chapter 5).
struct ELFSegment: Sendable {
  let type: UInt32
  let flags: UInt32
  let offset: UInt64
  let address: UInt64
  let fileSize: UInt64
  let memorySize: UInt64

  static let load: UInt32 = 1
  static let dynamic: UInt32 = 2
  static let interpreter: UInt32 = 3
  static let note: UInt32 = 4

  var isExecutable: Bool { flags & 1 != 0 }
}
