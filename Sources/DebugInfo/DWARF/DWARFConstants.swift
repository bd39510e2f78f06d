// Numbers of the DWARF standard that the decoders name (version 5, chapter 7). libdw's dwarf.h has
// them too, as macros of a type that would need a conversion at each use.

enum Tag {
  static let compileUnit: UInt16 = 0x11
  static let inlinedSubroutine: UInt16 = 0x1d
  static let subprogram: UInt16 = 0x2e
  static let partialUnit: UInt16 = 0x3c
  static let skeletonUnit: UInt16 = 0x4a
}

enum Attribute {
  static let name: UInt16 = 0x03
  static let statementList: UInt16 = 0x10
  static let language: UInt16 = 0x13
  static let lowPC: UInt16 = 0x11
  static let highPC: UInt16 = 0x12
  static let compilationDirectory: UInt16 = 0x1b
  static let abstractOrigin: UInt16 = 0x31
  static let declarationFile: UInt16 = 0x3a
  static let declarationLine: UInt16 = 0x3b
  static let specification: UInt16 = 0x47
  static let ranges: UInt16 = 0x55
  static let callColumn: UInt16 = 0x57
  static let callFile: UInt16 = 0x58
  static let callLine: UInt16 = 0x59
  static let linkageName: UInt16 = 0x6e
  static let stringOffsetsBase: UInt16 = 0x72
  static let addressBase: UInt16 = 0x73
  static let rangeListsBase: UInt16 = 0x74
  static let mipsLinkageName: UInt16 = 0x2007
  static let appleOptimised: UInt16 = 0x3fe1
}

enum Form {
  static let address: UInt16 = 0x01
  static let block2: UInt16 = 0x03
  static let block4: UInt16 = 0x04
  static let data2: UInt16 = 0x05
  static let data4: UInt16 = 0x06
  static let data8: UInt16 = 0x07
  static let string: UInt16 = 0x08
  static let block: UInt16 = 0x09
  static let block1: UInt16 = 0x0a
  static let data1: UInt16 = 0x0b
  static let flag: UInt16 = 0x0c
  static let sdata: UInt16 = 0x0d
  static let strp: UInt16 = 0x0e
  static let udata: UInt16 = 0x0f
  static let refAddress: UInt16 = 0x10
  static let ref1: UInt16 = 0x11
  static let ref2: UInt16 = 0x12
  static let ref4: UInt16 = 0x13
  static let ref8: UInt16 = 0x14
  static let refUData: UInt16 = 0x15
  static let indirect: UInt16 = 0x16
  static let sectionOffset: UInt16 = 0x17
  static let expression: UInt16 = 0x18
  static let flagPresent: UInt16 = 0x19
  static let strx: UInt16 = 0x1a
  static let addrx: UInt16 = 0x1b
  static let refSupplementary4: UInt16 = 0x1c
  static let strpSupplementary: UInt16 = 0x1d
  static let data16: UInt16 = 0x1e
  static let lineStrp: UInt16 = 0x1f
  static let refSignature: UInt16 = 0x20
  static let implicitConstant: UInt16 = 0x21
  static let loclistx: UInt16 = 0x22
  static let rnglistx: UInt16 = 0x23
  static let refSupplementary8: UInt16 = 0x24
  static let strx1: UInt16 = 0x25
  static let strx2: UInt16 = 0x26
  static let strx3: UInt16 = 0x27
  static let strx4: UInt16 = 0x28
  static let addrx1: UInt16 = 0x29
  static let addrx2: UInt16 = 0x2a
  static let addrx3: UInt16 = 0x2b
  static let addrx4: UInt16 = 0x2c
  static let gnuAddressIndex: UInt16 = 0x1f01
  static let gnuStringIndex: UInt16 = 0x1f02
  static let gnuRefAlternate: UInt16 = 0x1f20
  static let gnuStrpAlternate: UInt16 = 0x1f21
}
