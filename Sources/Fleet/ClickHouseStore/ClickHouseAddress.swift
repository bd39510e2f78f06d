import FirstlightModel
import Glibc
import HTTPTransport

/// The address of a ClickHouse store:
/// `http://[USER[:PASSWORD]@]HOST[:PORT][,HOST[:PORT]]...[/DATABASE][?cluster=NAME[&replicated]]`.
///
/// The address of a cluster names all its servers, in any order.
package struct ClickHouseAddress: Hashable, Sendable {
  package var isSecure = false
  /// `HOST:PORT` of each server.
  package var servers: [String] = []
  package var database = "firstlight"
  /// The cluster's name in `remote_servers` of the servers' configuration; nil for a single server.
  package var cluster: String?
  /// Whether each shard has replicas, coordinated by ZooKeeper or ClickHouse Keeper.
  package var isReplicated = false
  package var user = "default"
  package var password = ""

  /// Environment variable with the password, so that the address need not contain it.
  static let passwordVariable = "FIRSTLIGHT_CLICKHOUSE_PASSWORD"

  /// Like `init(_:)`, but with the environment's password if the text has none.
  /// - Parameter isArgument: whether the text is a command-line argument, which every user of the
  ///   machine can read and which must not contain the password.
  package init(_ text: String, isArgument: Bool) throws(Failure) {
    try self.init(text)
    guard password.isEmpty || !isArgument else {
      throw Failure(
        .usage, "a password on the command line is visible to all users of this machine",
        advice: "set \(Self.passwordVariable) instead")
    }
    guard password.isEmpty else { return }
    password = getenv(Self.passwordVariable).map { String(cString: $0) } ?? ""
    try checkThatPasswordIsSafe()
  }

  /// - Throws: `.usage` if the text is no such address, or if a password would be sent unencrypted.
  package init(_ text: String) throws(Failure) {
    // The message omits the text, which may contain a password.
    func wrong(_ reason: String) -> Failure {
      Failure(
        .usage, "the ClickHouse address \(reason)",
        advice: "write clickhouse:http://[USER[:PASSWORD]@]HOST[:PORT][,HOST...][/DATABASE]"
          + "[?cluster=NAME[&replicated]]")
    }
    let form =
      /http(s?):\/\/(?:([^\/?]*)@)?([^\/?@]+)(?:\/([A-Za-z0-9_]{0,64}))?(?:\?cluster=([A-Za-z0-9_]{1,64})(&replicated)?)?/
    guard let match = text.wholeMatch(of: form)?.output else { throw wrong("has another form") }
    isSecure = !match.1.isEmpty
    if let login = match.2 {
      let parts = login.split(at: ":", maxSplits: 1, omittingEmpty: false)
      user = String(parts[0])
      password = parts.count > 1 ? String(parts[1]) : ""
    }
    for server in match.3.split(at: ",", omittingEmpty: false) {
      guard !server.isEmpty, server.utf8.allSatisfy(Self.isHostLetter) else {
        throw wrong("has a server without a host")
      }
      let hasPort = server.split(at: "]").last?.containsUTF8(":") == true && server.last != "]"
      servers.append(hasPort ? String(server) : "\(server):\(isSecure ? 8443 : 8123)")
    }
    if let name = match.4, !name.isEmpty { database = String(name) }
    cluster = match.5.map(String.init)
    isReplicated = match.6 != nil
    if servers.count > 1, cluster == nil {
      throw wrong("has several servers but no cluster=NAME")
    }
    try checkThatPasswordIsSafe()
  }

  private func checkThatPasswordIsSafe() throws(Failure) {
    guard !password.isEmpty, !isSecure,
      let server = servers.first(where: { HTTPAddress("http://\($0)")?.isLoopback != true })
    else { return }
    throw Failure(
      .usage, "\(server): the password would be sent unencrypted over the network",
      advice: "use clickhouse:https://")
  }

  /// The address for display, without user and password.
  package var description: String {
    "\(isSecure ? "https" : "http")://\(servers.joined(separator: ","))/\(database)"
      + (cluster.map { "?cluster=\($0)\(isReplicated ? "&replicated" : "")" } ?? "")
  }

  static func isHostLetter(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x2d, 0x2e, 0x30...0x3a, 0x41...0x5b, 0x5d, 0x5f, 0x61...0x7a: true
    default: false
    }
  }
}
