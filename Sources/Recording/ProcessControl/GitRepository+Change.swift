import FirstlightModel
import Glibc
import SystemSupport

extension GitRepository {
  /// What the working tree has changed since the merge base of HEAD and a revision.
  ///
  /// - Throws: `Failure` of kind `usage` if git is missing, the folder is in no repository, or the revision or a merge
  ///   base is not there.
  package func change(since revision: String) throws(Failure) -> TreeChange {
    let root = try root()
    let git: Git
    do { git = try Git.inRepository(of: root) } catch { throw Self.withoutGit(error) }
    let head = try commit("HEAD", git, root)
    let named = try commit(revision, git, root)
    let base = try run(["merge-base", named, head], git)
    guard base.status == 0, let mergeBase = base.text.lines.first, !mergeBase.isEmpty else {
      throw try withoutBase(revision, git, root)
    }
    // The prefixes and all that settings could change are named; settings of diff remain that choose its algorithm.
    let patch = try run(
      [
        "diff", "--no-color", "--no-ext-diff", "--no-textconv", "--no-relative", "--full-index",
        "--submodule=short", "--ignore-submodules=dirty", "--src-prefix=a/", "--dst-prefix=b/",
        "--inter-hunk-context=0", "-M", "-U0", String(mergeBase), "--",
      ], git)
    guard patch.status == 0 else { throw Self.refused("diff", patch) }
    let untracked = try run(["ls-files", "--others", "--exclude-standard", "-z"], git)
    guard untracked.status == 0 else { throw Self.refused("ls-files", untracked) }
    return TreeChange(
      revision: revision, mergeBase: String(mergeBase), root: root, patch: patch.bytes,
      untracked: untracked.bytes)
  }

  /// The texts with these ids, in their order. Those that are missing are left out.
  package func texts(_ ids: [String]) -> [[UInt8]] {
    guard !ids.isEmpty, let git = try? Git.inRepository(of: folder), let input = try? ProgramLog(),
      (try? FileContents.write(
        Array((ids.joined(separator: "\n") + "\n").utf8), to: input.descriptor))
        != nil,
      let output = try? ProgramLog(), let errors = try? ProgramLog("/dev/null"),
      let ending = try? git.command(
        ["cat-file", "--batch"], input: "/proc/self/fd/\(input.descriptor)", output: output,
        log: errors
      ).run(), ending.exitStatus == 0
    else { return [] }
    // Each one is `ID blob SIZE`, a line end, the text, a line end; or `ID missing` and a line end.
    var texts: [[UInt8]] = []
    var rest = output.bytes[...]
    while let end = rest.firstIndex(of: 0x0a) {
      let words = String(decoding: rest[..<end], as: UTF8.self).split(at: " ")
      rest = rest[(end + 1)...]
      guard words.count == 3, let size = Int(words[2]), size < rest.count else { continue }
      if words[1] == "blob" { texts.append(Array(rest.prefix(size))) }
      rest = rest.dropFirst(size + 1)
    }
    return texts
  }

  /// The folder of the working tree.
  private func root() throws(Failure) -> String {
    let git: Git
    do { git = try Git.inRepository(of: folder) } catch { throw Self.withoutGit(error) }
    let found = try run(["rev-parse", "--show-toplevel"], git)
    guard found.status == 0, let root = found.text.removing(suffix: "\n") else {
      throw Failure(
        .usage, "\(folder): no working tree of git, which --changed needs: \(found.problem)",
        advice: "run firstlight in a clone of the project")
    }
    return String(root)
  }

  /// The id of a commit.
  private func commit(_ revision: String, _ git: Git, _ root: String) throws(Failure) -> String {
    guard !revision.containsUTF8("..") else {
      throw Failure(
        .usage, "--changed \(revision): a range, not a revision",
        advice: "name the branch that the change goes to, or another commit: --changed main")
    }
    let found = try run(
      ["rev-parse", "--verify", "--quiet", "--end-of-options", revision + "^{commit}"], git)
    guard found.status == 0, let id = found.text.lines.first, !id.isEmpty else {
      if revision == "HEAD" {
        throw Failure(.usage, "\(root): the repository has no commit yet", advice: "commit first")
      }
      throw Failure(
        .usage, "--changed \(revision): \(root) has no such revision",
        advice: try isShallow(git)
          ? "this clone is shallow: fetch it with git fetch --unshallow, or git fetch origin NAME "
            + "and --changed FETCH_HEAD"
          : "see git branch -a, or fetch it with git fetch origin NAME and pass --changed FETCH_HEAD"
      )
    }
    return String(id)
  }

  private func withoutBase(
    _ revision: String, _ git: Git, _ root: String
  ) throws(Failure) -> Failure {
    try isShallow(git)
      ? Failure(
        .usage,
        "--changed \(revision): this shallow clone does not reach back to the commit that HEAD and "
          + "\(revision) have in common", advice: "fetch it with git fetch --unshallow")
      : Failure(
        .usage, "--changed \(revision): HEAD and \(revision) have no commit in common",
        advice: "name a revision of HEAD's own history")
  }

  private func isShallow(_ git: Git) throws(Failure) -> Bool {
    try run(["rev-parse", "--is-shallow-repository"], git).text.begins(with: "true")
  }

  /// What git answered.
  private struct Answer {
    var status: Int32?
    var bytes: [UInt8]
    /// Its last line of errors.
    var problem: String

    var text: String { String(decoding: bytes, as: UTF8.self) }
  }

  private func run(_ arguments: [String], _ git: Git) throws(Failure) -> Answer {
    let (output, errors) = (try ProgramLog(), try ProgramLog())
    do throws(Failure) {
      let status = try git.command(arguments, output: output, log: errors).run()
      return Answer(
        status: status.exitStatus, bytes: output.bytes,
        problem: errors.text.lines.last { !$0.isEmpty }.map(String.init) ?? "")
    } catch { throw Self.withoutGit(error) }
  }

  private static func withoutGit(_ failure: Failure) -> Failure {
    Failure(.usage, "--changed needs git: \(failure.problem)", advice: "install git")
  }

  private static func refused(_ command: String, _ answer: Answer) -> Failure {
    Failure(.usage, "git \(command) failed: \(answer.problem)")
  }
}
