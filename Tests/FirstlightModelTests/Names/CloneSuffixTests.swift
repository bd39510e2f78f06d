import FirstlightModel
import Testing

/// What compilers append to the names of functions.
@Suite struct CloneSuffixTests {
  @Test(
    arguments: [
      ("f", "f", nil, nil), ("f.17", "f", .copy, nil), ("f.llvm.17", "f", .copy, nil),
      ("f.isra.0.constprop.1", "f", .specialisation, nil), ("f.part.0", "f", .part, nil),
      ("f.isra.0.cold", "f", .part, ".cold"), ("f.cold.3", "f", .part, ".cold"),
      ("f.__part.12", "f", .part, ".__part.12"), ("main._omp_fn.1", "main", .part, "._omp_fn.1"),
      ("f.resume.llvm.4", "f", .coroutine, ".resume"),
      ("_Z1fPZ1fiE9_Z1fi.Frame.actor", "_Z1fi", .coroutine, ".actor"),
      ("$s4main1fyyFTm", "$s4main1fyyF", .copy, nil), ("f.other", "f.other", nil, nil),
      ("f.avx2", "f", .copy, nil), ("f.default.1", "f", .copy, nil),
      ("f.resolver", "f", .copy, nil),
      ("f.arch_haswell.0", "f", .copy, nil), ("f.sse4.2", "f", .copy, nil),
      ("f._Msve2", "f", .copy, nil),
      (".17", ".17", nil, nil), ("fTm", "fTm", nil, nil), ("", "", nil, nil),
    ] as [(String, String, CloneSuffix.Kind?, String?)])
  func suffixesAreReadFromTheEnd(
    name: String, base: String, kind: CloneSuffix.Kind?, part: String?
  ) {
    let suffix = CloneSuffix(name)
    #expect(suffix.base == base)
    #expect(suffix.kind == kind)
    #expect(suffix.part.map(String.init) == part)
  }
}
