/// What the entry of a function, and the entries it refers to, say of its name and place.
struct Declaration {
  var linkageName: Bytes?
  var name: Bytes?
  /// File number, and the unit whose line table numbers it.
  var file: (unit: Int, number: UInt64)?
  var line: UInt64 = 0

  /// The name the linker would use, or the plain one: C has no other.
  var bestName: Bytes? { linkageName ?? name }
}
