import CElfutils
import Glibc

enum Attribute {
  static let name = UInt32(DW_AT_name)
  static let statementList = UInt32(DW_AT_stmt_list)
  static let producer = UInt32(DW_AT_producer)
  static let language = UInt32(DW_AT_language)
  static let lowPC = UInt32(DW_AT_low_pc)
  static let highPC = UInt32(DW_AT_high_pc)
  static let ranges = UInt32(DW_AT_ranges)
  static let compilationDirectory = UInt32(DW_AT_comp_dir)
  static let abstractOrigin = UInt32(DW_AT_abstract_origin)
  static let declaration = UInt32(DW_AT_declaration)
  static let declarationFile = UInt32(DW_AT_decl_file)
  static let declarationLine = UInt32(DW_AT_decl_line)
  static let artificial = UInt32(DW_AT_artificial)
  static let inlining = UInt32(DW_AT_inline)
  static let callFile = UInt32(DW_AT_call_file)
  static let callLine = UInt32(DW_AT_call_line)
  static let callColumn = UInt32(DW_AT_call_column)
  static let linkageName = UInt32(DW_AT_linkage_name)
  static let mipsLinkageName = UInt32(DW_AT_MIPS_linkage_name)
  static let compilationFolder = UInt32(DW_AT_comp_dir)
  static let splitName = UInt32(DW_AT_dwo_name)
  static let gnuSplitName = UInt32(DW_AT_GNU_dwo_name)
  static let allCalls = UInt32(DW_AT_call_all_calls)
  static let gnuAllCalls = UInt32(DW_AT_GNU_all_call_sites)
  /// `DW_AT_APPLE_optimized`, which elfutils does not define (llvm/BinaryFormat/Dwarf.def).
  static let appleOptimised: UInt32 = 0x3fe1
}
