import FirstlightModel
import Inspection
import Ordering
import Startup

/// The result of relinking a program for its start-up.
package struct Optimization: Sendable {
  /// An opt-in optimization, which has a price.
  package struct Priced: Sendable {
    package var name: String
    package var gain: String
    /// The largest number of 4 KiB pages that it may save; 0: unknown.
    package var pages: Int
    package var price: String

    package init(name: String, gain: String, pages: Int = 0, price: String) {
      self.name = name
      self.gain = gain
      self.pages = pages
      self.price = price
    }
  }

  /// A is the program as its user builds it; B is the new one.
  package var comparison: StartupComparison
  package var verification: OrderVerification
  /// Nil: the program does not prefetch.
  package var prefetch: PrefetchRanges?
  package var recordedRuns: Int
  /// The linker of the new program, for people; empty if unknown.
  package var linker: String
  /// Whether relative relocations are packed.
  package var isPacked: Bool
  /// The oldest glibc that starts the new program; nil if it needs none.
  package var glibc: GlibcNeeds?
  /// The glibc of the machines that it is made for; nil: this one's.
  package var target: GlibcVersion?
  /// Optimizations that were not done, because they are opt-in.
  package var priced: [Priced]
  /// File names of the shared libraries that the program needs.
  package var libraries: [String]
  /// Distinguishes the project's object files from those of the toolchain.
  package var owner: SectionOwner
  /// Whether the build command passes compiler flags on at {cflags}.
  package var takesCompilerFlags: Bool
  /// Nil: there is nothing to look up, or it was not to be tried.
  package var conformances: Conformances?

  package init(
    comparison: StartupComparison, verification: OrderVerification, prefetch: PrefetchRanges?,
    recordedRuns: Int, linker: String = "", isPacked: Bool, glibc: GlibcNeeds? = nil,
    target: GlibcVersion? = nil, priced: [Priced], libraries: [String],
    owner: SectionOwner, takesCompilerFlags: Bool, conformances: Conformances? = nil
  ) {
    self.comparison = comparison
    self.verification = verification
    self.prefetch = prefetch
    self.recordedRuns = recordedRuns
    self.linker = linker
    self.isPacked = isPacked
    self.glibc = glibc
    self.target = target
    self.priced = priced
    self.libraries = libraries
    self.owner = owner
    self.takesCompilerFlags = takesCompilerFlags
    self.conformances = conformances
  }
}
