import Testing

@testable import FirstlightModel

/// Names as people write them, made of the demanglers' texts.
@Suite struct ShortNameTests {
  @Test(arguments: [
    ("shop.Shop.run() throws -> ()", "Shop.run()"),
    ("shop.Shop.count : Swift.Int", "Shop.count"),
    ("Wares.Ware.reduced(by: Swift.Int, _: Swift.Bool) -> Swift.Int", "Ware.reduced(by:_:)"),
    ("M.outer(Swift.Int, Swift.String) -> Swift.Int", "outer(_:_:)"),
    ("M.A.deinit", "A.deinit"),
    ("static M.E.make<each A>(repeat A) -> M.E", "static E.make(_:)"),
    (
      "M.S.a(_: (Swift.Int, by: T) throws -> Swift.Int, with: [K : (a: V, b: V)], opt: A?) -> ()",
      "S.a(_:with:opt:)"
    ),
    ("M.f(Swift.Dictionary<A, (B) -> C>, x: D) -> ()", "f(_:x:)"),
    ("M.`func with raw`(Swift.Int...) async throws -> Swift.Int", "`func with raw`(_:)"),
  ])
  func aSwiftNameHasNeitherModuleNorTypes(name: String, short: String) {
    #expect(FunctionIdentity(name: "$s1M", entity: name).shortName == short)
  }

  @Test(arguments: [
    (
      "ArgumentParser.SplitArguments.(hasTerminatorBetween in _7C64)(A.B, A.B) -> Swift.Bool",
      "SplitArguments.hasTerminatorBetween(_:_:)"
    ),
    ("M.(glob in _D420) : Swift.Int", "glob"),
    ("M.S.(P in _D420).(m in _D420)(x: Swift.Int) -> Swift.Int", "S.P.m(x:)"),
  ])
  func marksOfPrivateDeclarationsGo(name: String, short: String) {
    #expect(FunctionIdentity(name: "$s1M", entity: name).shortName == short)
  }

  @Test(arguments: [
    ("(extension in M):Swift.Array<A where A == M.Ware>.total() -> Swift.Int", "Array.total()"),
    (
      "(extension in M):(extension in M):M.Seq< where A: C>.Index< where A.I: H>.hash(into: X) -> ()",
      "Seq.Index.hash(into:)"
    ),
    ("static (extension in M):M.Pr.== infix(A, A) -> Swift.Bool", "static Pr.==(_:_:)"),
    ("static M.Q...< infix(M.Q, M.Q) -> Swift.Bool", "static Q...<(_:_:)"),
    ("M.%% prefix(Swift.Int) -> Swift.Int", "%%(_:)"),
    ("M.S.subscript : (at: Swift.Int, _: Swift.Int) -> Swift.Int", "S.subscript(at:_:)"),
    ("M.S.subscript : <A where A1: Swift.Hashable>(A1) -> Swift.Int", "S.subscript(_:)"),
  ])
  func extensionsOperatorsAndSubscriptsAreNamed(name: String, short: String) {
    #expect(FunctionIdentity(name: "$s1M", entity: name).shortName == short)
  }

  @Test(arguments: [
    (
      "inner #1 (x: Swift.Int) -> Swift.Int in M.S.outer(Swift.Int) -> ()",
      "inner(x:) in S.outer(_:)"
    ),
    ("getter of lz #1 : Swift.Int in M.outer() -> ()", "lz in outer()"),
    (
      "x #1 : Swift.UInt in help #1 <A><A1><A2, B2 where A: Swift.Equatable, B2: M.P>"
        + "(_: A2, f: (A2) throws -> B2?) -> Swift.UInt in M.G.outer<A where A: Swift.Equatable>"
        + "(_: A1, o: [A]) -> Swift.UInt", "x in help(_:f:) in G.outer(_:o:)"
    ),
    ("x #1 : Swift.Int in M.G.subscript.getter : (Swift.Int) -> Swift.Int", "x in G.subscript(_:)"),
    ("x #1 : Swift.Int in M.G.y.didset : Swift.Int", "x in G.y"),
    ("by(Swift.Int) -> () in Local #1 in M.outer() -> ()", "by(_:) in Local in outer()"),
  ])
  func localDeclarationsNameWhatHoldsThem(name: String, short: String) {
    #expect(FunctionIdentity(name: "$s1M", entity: name).shortName == short)
  }

  @Test(arguments: [
    (
      "default argument 1 of M.E.two(M.E.Type) -> (Swift.Int, Swift.Int) -> M.E",
      "default argument 1 of E.two(_:)"
    ),
    ("default arguments of M.f(x: Swift.Int, y: Swift.Int) -> ()", "default arguments of f(x:y:)"),
  ])
  func defaultArgumentsNameTheirFunction(name: String, short: String) {
    #expect(FunctionIdentity(name: "$s1M", entity: name).shortName == short)
  }

  @Test func namesThatNestWithoutEndStay() {
    let name = String(repeating: "a() -> () in ", count: 20_000) + "M.f() -> ()"
    #expect(FunctionIdentity(name: "$s1M", entity: name).shortName == name)
  }

  @Test(arguments: [
    ("ns::Circle<int>::area(int, std::vector<int>) const", "ns::Circle::area"),
    ("int larger<int>(int, int)", "larger"),
    ("(anonymous namespace)::f(int)", "(anonymous namespace)::f"),
    ("A::operator()(int) const", "A::operator()"),
    ("(anonymous namespace)::f(std::vector<int> const&)", "(anonymous namespace)::f"),
    ("a::(anonymous namespace)::Q::go(std::vector<int>)", "a::(anonymous namespace)::Q::go"),
    (
      "S::operator std::__cxx11::basic_string<char>() const",
      "S::operator std::__cxx11::basic_string"
    ),
    ("S::operator unsigned int() const", "S::operator unsigned int"),
    ("S::operator<(S const&) const", "S::operator<"),
    ("S::operator->*(int) const", "S::operator->*"),
    ("S::operator new(unsigned long)", "S::operator new"),
    ("W<int>::operator double<double>() const", "W::operator double"),
    ("operator\"\" _km(unsigned long long)", "operator\"\" _km"),
    ("std::vector<int, std::allocator<int> >::~vector()", "std::vector::~vector"),
    ("int S::* mp<double>(double)", "mp"), ("f[abi:cxx11](int)", "f[abi:cxx11]"),
    ("_ZN2ns3keyI1BTniEEiRKS2_", "ns::key<...>"), ("_Z3keyTni", "_Z3keyTni"),
    ("vtable for Foo<int>", "vtable for Foo<int>"), ("f(int) const::Local::go()", "f::Local::go"),
  ])
  func aCxxNameHasNoParameters(name: String, short: String) {
    #expect(FunctionIdentity(name: "_Z1f", entity: name).shortName == short)
  }

  /// Rust's older mangling is C++'s with a hash at the end.
  @Test func hashesOfRustGo() {
    #expect(
      FunctionIdentity(name: "_ZN4core3fmt5writeE", entity: "core::fmt::write::h0123456789abcdef")
        .shortName
        == "core::fmt::write")
    #expect(
      FunctionIdentity(name: "_Z1a", entity: "a::h0123456789abcdeg").shortName
        == "a::h0123456789abcdeg")
  }

  @Test(arguments: ["hash_table_clear", "fn_1040", "a(b"])
  func otherNamesStay(name: String) {
    #expect(FunctionIdentity(name: name, entity: name).shortName == name)
    #expect(FunctionIdentity(name: "$s1M", entity: "M.f(").shortName == "M.f(")
  }
}
