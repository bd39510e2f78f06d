import Testing

@testable import ProcessControl

@Suite struct PatchReaderTests {
  private func changes(_ patch: String) -> [PatchReader.Change] {
    PatchReader(Array(patch.utf8)).changes
  }

  @Test func hunksHaveTheLinesOfTheNewText() throws {
    let change = try #require(
      changes(
        """
        diff --git a/a b.c b/a b.c
        index 1111111..2222222 100644
        --- a/a b.c\t
        +++ b/a b.c\t
        @@ -3 +3 @@ int f(void)
        -old
        +new
        @@ -5,2 +4,0 @@
        -@@ -1 +1 @@
        --- a/x.c
        @@ -9,0 +7,2 @@
        +++ b/x.c
        +diff --git a/y.c b/y.c

        """
      ).first)
    #expect(change.path == "a b.c" && change.base == "1111111" && !change.isDeleted)
    #expect(
      change.hunks == [
        .init(lines: 3..<4, isAddition: false), .init(lines: 5..<5, isAddition: false),
        .init(lines: 7..<9, isAddition: true),
      ])
  }

  @Test func namesInQuotesAreRead() {
    let found = changes(
      #"""
      diff --git "a/caf\303\251 \"q\"\n.c" "b/caf\303\251 \"q\"\n.c"
      new file mode 100644
      index 0000000..2222222
      Binary files /dev/null and "b/caf\303\251 \"q\"\n.c" differ
      diff --git a/old.c b/new name.c
      similarity index 90%
      rename from old.c
      rename to new name.c
      index 1111111..2222222 100644
      Binary files a/old.c and b/new name.c differ
      diff --git a/gone.c b/gone.c
      deleted file mode 100644
      index 3333333..0000000
      --- a/gone.c
      +++ /dev/null
      @@ -1 +0,0 @@
      -int gone;
      diff --git a/module b/module
      index 4444444..5555555 160000
      --- a/module
      +++ b/module
      @@ -1 +1 @@
      -Subproject commit 4
      +Subproject commit 5

      """#)
    #expect(found.map(\.path) == ["caf\u{e9} \"q\"\n.c", "new name.c", "gone.c", "module"])
    #expect(found.map(\.base) == [nil, "1111111", "3333333", "4444444"])
    #expect(found.map(\.isDeleted) == [false, false, true, false])
    #expect(found.map(\.isSubmodule) == [false, false, false, true])
    // What git takes for binary counts as a whole.
    #expect(found[0].hunks == [.wholeFile] && found[1].hunks == [.wholeFile])
  }

  /// A removal changes the function around it, and no function before or behind it.
  @Test func removedLinesTouchWhatHasLinesOnBothSides() {
    let removal = TreeChange.Hunk(lines: 5..<5, isAddition: false)
    #expect(removal.touches(4...5) && removal.touches(1...9))
    #expect(!removal.touches(1...4) && !removal.touches(5...9))
    let change = TreeChange.Hunk(lines: 5..<6, isAddition: false)
    #expect(change.touches(1...5) && change.touches(5...9) && !change.touches(1...4))
  }
}
