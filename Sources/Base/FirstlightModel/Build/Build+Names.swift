extension Build {
  /// Leaves its functions without anything that was read of its file but where they are: the file was
  /// changed meanwhile.
  package mutating func forgetNames() {
    functions = functions.map { function in
      let address = function.address ?? 0
      return Function(
        address: function.address, size: 0, name: "",
        demangledName: "fn_\(String(address, radix: 16))",
        module: "", file: nil, line: 0, isCompilerGenerated: false, isLocal: false)
    }
    hasSymbols = false
    hasDebugInfo = false
    unguarded = []
    inlined = []
  }
}
