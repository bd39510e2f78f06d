import Testing

@testable import FirstlightModel

/// What names say: the texts are those that swift-demangle and c++filt give.
@Suite struct FunctionIdentityTests {
  @Test(
    arguments: [
      ("M.f(x: Swift.Int) -> ()", "M.f(x: Swift.Int) -> ()", nil),
      (
        "closure #1 (A.Element) -> Swift.Bool in (extension in M):Swift.Sequence.f() -> ()",
        "(extension in M):Swift.Sequence.f() -> ()", .closure
      ),
      (
        "implicit closure #2 () -> Swift.String in closure #1 () -> () in M.f() -> ()",
        "M.f() -> ()", .closure
      ),
      (
        "default argument 1 of M.f(x: Swift.Int) -> ()", "M.f(x: Swift.Int) -> ()",
        .defaultArgument
      ),
      ("M.X.y.getter : Swift.Int", "M.X.y : Swift.Int", .accessor),
      ("static M.X.y.modify : Swift.Int", "static M.X.y : Swift.Int", .accessor),
      (
        "closure #1 () -> Swift.Int in variable initialization expression of static M.X.read : () -> Swift.Int",
        "static M.X.read : () -> Swift.Int", .closure
      ),
      (
        "variable initialization expression of M.X.init : Swift.Int", "M.X.init : Swift.Int",
        .initialValue
      ),
      ("static M.X.read.getter : Swift.Int", "static M.X.read : Swift.Int", .accessor),
      (
        "M.X.subscript.read : (Swift.Int) -> A with unmangled suffix \".resume.0\"",
        "M.X.subscript : (Swift.Int) -> A", .asyncPiece
      ),
      (
        "generic specialization <Swift.Array<Swift.Int>> of closure #1 (A) -> B in M.f<A, B>(A) -> B",
        "M.f<A, B>(A) -> B", .specialisation
      ),
      (
        "function signature specialization <Arg[0] = Dead> of static M.X.< infix(M.X) -> Swift.Bool",
        "static M.X.< infix(M.X) -> Swift.Bool", .specialisation
      ),
      ("merged M.f() -> ()", "M.f() -> ()", .mergedBody),
      (
        "(2) suspend resume partial function for M.f() async -> ()", "M.f() async -> ()",
        .asyncPiece
      ),
      ("partial apply forwarder for closure #1 () -> () in M.f() -> ()", "M.f() -> ()", .thunk),
      (
        "vtable thunk for M.Base.f() -> () dispatching to M.Derived.f() -> ()",
        "M.Derived.f() -> ()", .thunk
      ),
      ("M.X.__allocating_init(a: Swift.Int) -> M.X", "M.X.init(a: Swift.Int) -> M.X", .copy),
      ("M.X.__deallocating_deinit", "M.X.deinit", .copy),
      (
        "closure #1 () -> () in M.X.(in _0123456789ABCDEF).init(a: Swift.Int) -> M.X",
        "M.X.init(a: Swift.Int) -> M.X", .closure
      ),
      ("$defer #1 () -> () in M.f() -> ()", "M.f() -> ()", .closure),
      // A function within a function is one that somebody can delete.
      ("inner #1 () -> () in M.f() -> ()", "inner #1 () -> () in M.f() -> ()", nil),
      (
        "closure #1 () -> () in inner #1 () -> () in M.f() -> ()",
        "inner #1 () -> () in M.f() -> ()", .closure
      ),
      (
        "getter of x #1 : Swift.Int in M.f() -> ()", "x #1 : Swift.Int in M.f() -> ()", .accessor
      ),
      (
        "didset of x #1 : Swift.Int in M.f() -> ()", "x #1 : Swift.Int in M.f() -> ()", .accessor
      ),
      (
        "closure #1 () -> Swift.Int in getter of x #1 : Swift.Int in M.f() -> ()",
        "x #1 : Swift.Int in M.f() -> ()", .closure
      ),
    ] as [(String, String, PieceKind?)])
  func swiftNamesLeadToTheirFunction(text: String, root: String, piece: PieceKind?) {
    let name = FunctionIdentity(name: "$s1M", demangled: text)
    #expect(name.entity == root)
    #expect(name.piece == piece)
    #expect(!name.isCompilerGenerated)
  }

  @Test(arguments: [
    "protocol witness for M.P.f() -> () in conformance M.X : M.P in M",
    "reabstraction thunk helper from @escaping @callee_guaranteed () -> () to @out ()",
    "outlined copy of Swift.Array<A>", "type metadata accessor for M.X",
    "key path getter for M.X.y : Swift.Int : M.X", "M.X.__ivar_destroyer",
    "assignWithCopy value witness for M.X", "destroy value witness for M.X",
    "static M.X.__derived_struct_equals(M.X, M.X) -> Swift.Bool",
  ])
  func helpersStandForNothingInTheSource(text: String) {
    #expect(FunctionIdentity(name: "$s1M", demangled: text).isCompilerGenerated)
  }

  @Test(arguments: [
    "_start", "_init", "frame_dummy", "__clang_call_terminate", "_GLOBAL__sub_I_main.cpp",
    "__x86.get_pc_thunk.bx", "asan.module_ctor",
  ])
  func whatCompilersAndStartFilesAddIsNobodysOwn(name: String) {
    #expect(FunctionIdentity(name: name, demangled: name).isCompilerGenerated)
  }

  @Test(arguments: ["start", "init", "_start_server", "frame_dummy_2", "main"])
  func namesThatLookLikeThoseAreOnesOwn(name: String) {
    #expect(!FunctionIdentity(name: name, demangled: name).isCompilerGenerated)
  }

  @Test(
    arguments: [
      ("f.cold", "f.cold", "f", .coldPart), ("f.part.0", "f.part.0", "f", .coldPart),
      ("f.isra.0.cold", "f.isra.0.cold", "f", .coldPart), ("f.llvm.123", "f.llvm.123", "f", .copy),
      ("f.constprop.0", "f.constprop.0", "f", .specialisation), ("f", "f", "f", nil),
      ("_ZN1XC2Ev", "X::X()", "X::X()", nil),
      ("_ZThn8_N1X1fEv", "non-virtual thunk to X::f()", "X::f()", .thunk),
      ("_ZZ4mainENK3$_0clEi", "main::$_0::operator()(int) const", "main", .closure),
      ("_ZZ1fiENKUlvE_clEv", "f(int)::{lambda()#1}::operator()() const", "f(int)", .closure),
      ("_Z1fv.cold", "f() [clone .cold]", "f()", .coldPart),
      ("_Z1fv.llvm.7", "f() (.llvm.7)", "f()", .copy),
      ("_ZThn8_N1X1fEv.cold", "non-virtual thunk to X::f() (.cold)", "X::f()", .thunk),
      (
        "_ZZ1fvENKUlvE_clEv.cold", "f()::{lambda()#1}::operator()() const [clone .cold]", "f()",
        .coldPart
      ),
      ("f.__part.3", "f.__part.3", "f", .coldPart),
      ("_Z1fv.__part.3", "f() (.__part.3)", "f()", .coldPart),
      ("_Z1fi.resume", "f(int) (.resume)", "f(int)", .asyncPiece),
      (
        "_Z1fPZ1fiE9_Z1fi.Frame.actor", "f(f(int)::_Z1fi.Frame*) [clone .actor]", "f(int)",
        .asyncPiece
      ),
      (
        "_ZN12_GLOBAL__N_11fEPZNS_1fEiE21_ZN12_GLOBAL__N_11fEi.Frame.destroy",
        "(anonymous namespace)::f((anonymous namespace)::f(int)::_ZN12_GLOBAL__N_11fEi.Frame*)"
          + " [clone .destroy]", "(anonymous namespace)::f(int)", .asyncPiece
      ),
      (
        "_ZZ4mainENK3$_1clIiEEDaT_", "auto main::$_1::operator()<int>(int) const", "main", .closure
      ),
      (
        "_ZZ5applyISt4pairIlcEEiT_iENKUliE_clEi",
        "apply<std::pair<long, char> >(std::pair<long, char>, int)::{lambda(int)#1}::operator()(int) const",
        "apply<std::pair<long, char> >(std::pair<long, char>, int)", .closure
      ),
      (
        "_ZZN1X1fEvENKUlvE_clEv", "X::f() const::{lambda()#1}::operator()() const", "X::f() const",
        .closure
      ),
      (
        "_Z3runIZ4mainE3$_1EiT_", "int run<main::$_1>(main::$_1)", "int run<main::$_1>(main::$_1)",
        nil
      ),
      (
        "_ZlsRSoZ4mainE3$_0", "operator<<(std::ostream&, main::$_0)",
        "operator<<(std::ostream&, main::$_0)", nil
      ),
      (
        "_ZZN1XclEvENKUlvE_clEv", "X::operator()()::{lambda()#1}::operator()() const",
        "X::operator()()", .closure
      ),
      ("_ZZN1X1fEvENKUlvE_clEv", "X::f()::'lambda'()::operator()() const", "X::f()", .closure),
    ] as [(String, String, String, PieceKind?)])
  func cNamesLeadToTheirFunction(name: String, text: String, root: String, piece: PieceKind?) {
    let identity = FunctionIdentity(name: name, demangled: text)
    #expect(identity.entity == root)
    #expect(identity.piece == piece)
  }

  @Test(
    arguments: [
      ("f(int)", nil), ("A::f(int)", nil), ("void f<int>(int)", "f"),
      ("std::vector<int>::push_back(int&&)", "std::vector::push_back"),
      ("A<int>::operator()(char) const", "A::operator()"),
      ("bool operator< <int>(A<int>)", "operator<"), ("bool operator<(A<int>)", nil),
      ("A<(B)0>::operator->() const", "A::operator->"), ("f(std::vector<int>)", nil),
      ("Log& Log::operator<< <double>(double const&)", "Log::operator<<"),
      ("A operator+<int>(A<int>)", "operator+"), ("int& A<int>::operator[](long)", "A::operator[]"),
      ("char const (&pass<char const (&) [8]>(char const (&) [8])) [8]", "pass"),
      ("void (*ns::handler<double>(double))(int)", "ns::handler"),
      ("int S::* mp<double>(double)", "mp"), ("int (S::*mf<int>(int))(int)", "mf"),
      ("W<int>::operator double<double>() const", "W::operator"),
      ("S::operator std::vector<int>() const", nil), ("S::operator bool() const", nil),
      ("Box<int>::operator int()", "Box::operator"),
      ("int (anonymous namespace)::f<int>(std::vector<int> const&)", "(anonymous namespace)::f"),
      ("void f<int>(int)::Local::go(long)", "f::Local::go"),
      ("void f<std::function<void (int)> >(std::function<void (int)>)", "f"),
      ("decltype ((fp)+(fp0)) add<int, int>(int, int)", "add"),
      ("_Z3keyI1BTnNSt9enable_ifIXntsr3std11is_integralIT_EE5valueEiE4typeELi0EEiRKS2_", "key"),
      ("_ZN2ns3keyI1BTniEEiRKS2_", "ns::key"), ("_ZZN2ns3keyI1BTniEEiRKS2_ENKUlvE_clEv", "ns::key"),
      ("_Z3keyv", nil), ("_ZTn", nil),
    ] as [(String, String?)])
  func templatesAreKnownByTheirNameAlone(text: String, name: String?) {
    #expect(FunctionIdentity(name: "_Z1f", entity: text).key == name ?? text)
  }

  @Test(
    arguments: [
      ("_RINvC1g4onlyhE", "g::only::<u8>", "g::only", nil, nil),
      ("_RNCNvC1g4main0", "g::main::{closure#0}", "g::main", nil, .closure),
      // A default method belongs to its trait, and an `impl` to all arguments of its type.
      ("_RNvYNtC1g2SqNtB2_5Shape5twice", "<g::Sq as g::Shape>::twice", "g::Shape::twice", nil, nil),
      (
        "_RNCINvYhINtC1g1TmE1fNtB5_1AE0", "<u8 as g::T<u32>>::f::<g::A>::{closure#0}", "g::T::f",
        nil,
        .closure
      ),
      (
        "_RNvXC1gINtB2_1WtENtB2_5Shape4area", "<g::W<u16> as g::Shape>::area",
        "<g::W as g::Shape>::area", "g::Shape::area", nil
      ),
      ("_RNvMC1gINtB2_1WhE3own", "<g::W<fn(u8) -> u8>>::own", "<g::W>::own", "g::W::own", nil),
      (
        "_RNvXC1gYhNtB2_1B1CNtB2_1A1m", "<<u8 as g::B<i8>>::C as g::A>::m",
        "<<u8 as g::B>::C as g::A>::m", "g::A::m", nil
      ),
    ] as [(String, String, String, String?, PieceKind?)])
  func instancesOfRustLeadToTheirSource(
    name: String, text: String, root: String, template: String?, piece: PieceKind?
  ) {
    let identity = FunctionIdentity(name: name, demangled: text)
    #expect(identity.entity == root)
    #expect(identity.key == template ?? root)
    #expect(identity.piece == piece)
  }

  @Test func swiftNamesShowTheirSourceFunction() {
    let addressor = FunctionIdentity(
      name: "$s1M1xSivau", demangled: "M.x.unsafeMutableAddressor : Swift.Int")
    #expect(addressor.key == "M.x : Swift.Int" && addressor.isKeyUnique)
    let initializer = FunctionIdentity(
      name: "$s1M1x_WZ", demangled: "one-time initialization function for x")
    #expect(initializer.key == "$s1M1x" && initializer.isKeyUnique)
    #expect(initializer.initializedVariable == "x" && addressor.initializedVariable == nil)
    // Top-level code of another file of the module may have such a closure, too.
    let closure = FunctionIdentity(
      name: "$s1MSiycfU_", demangled: "closure #1 () -> Swift.Int in M")
    #expect(closure.key == "main" && !closure.isKeyUnique)
  }
}
