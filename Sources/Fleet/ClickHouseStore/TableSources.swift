/// Where the tables of a store with replicas are read: on one replica of each shard, which the store chooses.
///
/// Statements name a table as those of a store without replicas do. A cluster's own choice of replicas
/// would do if it knew which of them have the rows of which tags.
struct TableSources: Sendable {
  private let servers: String
  private let address: ClickHouseAddress

  private static let names = Set(
    (ClickHouseSchema.evidence + ClickHouseSchema.descriptions).map(\.name))

  /// - Parameter replicas: one of each shard.
  init(_ replicas: [Replica], of address: ClickHouseAddress) {
    // ClickHouse's documentation of `remote`: commas stand between shards.
    servers = replicas.map(\.native).joined(separator: ",")
    self.address = address
  }

  /// A table of other servers, as it is written in a statement.
  static func remote(
    _ servers: String, _ database: String, _ table: String, of address: ClickHouseAddress
  ) -> String {
    var arguments = [servers, database, table]
    if address.user != "default" || !address.password.isEmpty {
      arguments += [address.user, address.password]
    }
    let list = arguments.map(SQLText.quoted).joined(separator: ", ")
    return "\(address.isSecure ? "remoteSecure" : "remote")(\(list))"
  }

  /// A statement with each table that it reads FROM replaced. What is quoted stays.
  func applied(to sql: String) -> String {
    var result = ""
    var word = ""
    var before = ""
    var (isQuoted, isEscaped) = (false, false)
    func endWord() {
      guard !word.isEmpty else { return }
      result +=
        before == "FROM" && Self.names.contains(word)
        ? Self.remote(servers, address.database, word + "_local", of: address) : word
      (before, word) = (word, "")
    }
    for scalar in sql.unicodeScalars {
      if isQuoted {
        result.unicodeScalars.append(scalar)
        if isEscaped {
          isEscaped = false
        } else if scalar == "\\" {
          isEscaped = true
        } else if scalar == "'" {
          isQuoted = false
        }
      } else if scalar == "_" || (scalar.isASCII && scalar.properties.isAlphabetic)
        || ("0"..."9").contains(scalar)
      {
        word.unicodeScalars.append(scalar)
      } else {
        endWord()
        isQuoted = scalar == "'"
        if scalar == "(" { before = "" }
        result.unicodeScalars.append(scalar)
      }
    }
    endWord()
    return result
  }
}
