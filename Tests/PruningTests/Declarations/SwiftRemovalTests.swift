import Testing

/// What goes with a declaration of Swift.
@Suite struct SwiftRemovalTests {
  @Test func functionGoesWithItsCommentsAndAttributes() {
    let (text, removal) = pruned(
      """
      func first() {}

      /// Says nothing.
      ///
      /// - Returns: nothing.
      @inlinable
      @discardableResult
      func second(of x: Int) -> Int { //- second(of:)
        x
      }

      func third() {}

      """)
    #expect(text == "func first() {}\n\nfunc third() {}\n")
    #expect(removal.removed.map(\.name) == ["second(of:)"])
    #expect(removal.kept.isEmpty)
  }

  @Test func commentsOfOthersStay() {
    let (text, _) = pruned(
      """
      // Written by hand.
      func first() {}  // of the first

      // MARK: Second

      // A remark on its own.

      // A remark on the second.
      /* And another. */
      func second() {} //- second()
      // A remark on the third.
      func third() {}

      """)
    #expect(
      text == """
        // Written by hand.
        func first() {}  // of the first

        // MARK: Second

        // A remark on its own.

        // A remark on the third.
        func third() {}

        """)
  }

  @Test func headerOfTheFileStays() {
    let (text, _) = pruned(
      """
      // Copyright
      // All rights
      func first() {} //- first()
      let x = 1

      """)
    #expect(text == "// Copyright\n// All rights\nlet x = 1\n")
  }

  @Test func documentationAtTheBeginningGoes() {
    let (text, _) = pruned(
      """
      /// Of the first.
      func first() {} //- first()
      let x = 1

      """)
    #expect(text == "let x = 1\n")
  }

  @Test func trailingCommentGoesAlong() {
    #expect(
      pruned("let a = 1\nfunc b() {}  // of b //- b()\nlet c = 1").text == "let a = 1\nlet c = 1")
    #expect(pruned("func b() {}  /* b */ //- b()\nlet c = 1").text == "let c = 1")
  }

  @Test func membersGo() {
    let (text, removal) = pruned(
      """
      struct Ware {
        var price = 3

        init(_ x: Int) { price = x } //- init(_:)

        /// Half of it.
        var half: Int { //- half
          get { price / 2 }
          set { price = newValue * 2 }
        }

        subscript(at i: Int) -> Int { i } //- subscript(at:)
        subscript(i: Int) -> Int { i }
        static func == (a: Ware, b: Ware) -> Bool { true } //- ==(_:_:)

        static let table = [1, 2] //- table
      }

      """)
    #expect(
      text == """
        struct Ware {
          var price = 3

          subscript(i: Int) -> Int { i }
        }

        """)
    #expect(removal.removed.count == 5)
  }

  @Test func labelsTellOverloadsOnALineApart() {
    let (text, _) = pruned("func a(x: Int) {}; func a(y: Int) {} //- a(y:)\n")
    #expect(text == "func a(x: Int) {};\n")
    #expect(
      pruned("func a(x: Int) {}; func a(y: Int) {} //- a(x:)\n").text == "func a(y: Int) {}\n")
    #expect(pruned("func a(x: Int) {}; func a(y: Int) {} //- a(x:) a(y:)\n").text.isEmpty == false)
    #expect(pruned("struct S { func a() {} } //- a()\n").text == "struct S { }\n")
    #expect(
      pruned("struct S { var x = 1; func a() {} } //- a()\n").text == "struct S { var x = 1; }\n")
  }

  @Test func namesThatNeedQuotesAreFound() {
    let (text, _) = pruned(
      "func `default`() {} //- default()\nlet ünïcödé = \"é\"\nfunc größe(für x: Int) {} //- größe(für:)\n"
    )
    #expect(text == "let ünïcödé = \"é\"\n")
  }

  @Test func lineEndsAndTabsAreKept() {
    let (text, _) = pruned(
      "struct A {\n\t/// Doc.\n\tfunc b() {} //- b()\n\n\tvar c = 1\n}\n", lineEnd: "\r\n")
    #expect(text == "struct A {\r\n\tvar c = 1\r\n}\r\n")
  }

  @Test func lastLineWithoutLineEnd() {
    #expect(pruned("let a = 1\n\nfunc b() {} //- b()").text == "let a = 1\n")
  }

  @Test func variablesDeclaredTogetherGoTogetherOrNotAtAll() {
    let (text, removal) = pruned("let a = 1, b = 2 //- a\nfunc f() {}")
    #expect(text == "let a = 1, b = 2\nfunc f() {}")
    #expect(removal.kept.values.first == .sharedDeclaration)
    #expect(pruned("let a = 1, b = 2 //- a b\nfunc f() {}").text == "func f() {}")
  }

  @Test func oneOfTheBlankLinesAroundIsLeft() {
    #expect(
      pruned("let a = 1\n\nfunc b() {} //- b()\n\nfunc c() {} //- c()\n\nlet d = 1\n").text
        == "let a = 1\n\nlet d = 1\n")
    #expect(
      pruned("enum A {\n  func b() {} //- b()\n\n  case c\n}\n").text == "enum A {\n  case c\n}\n")
    #expect(
      pruned("enum A {\n  case c\n\n  func b() {} //- b()\n}\n").text == "enum A {\n  case c\n}\n")
    #expect(pruned("let a = 1\nfunc b() {} //- b()\nlet c = 1\n").text == "let a = 1\nlet c = 1\n")
  }

  @Test func functionsWithinFunctionsGoWithThem() {
    let (text, removal) = pruned("func a() { //- a()\n  func b() {}\n  b()\n}\nlet c = 1\n")
    #expect(text == "let c = 1\n")
    #expect(removal.removed.count == 1)
  }
}
