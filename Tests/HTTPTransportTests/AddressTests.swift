import HTTPTransport
import Testing

@Suite struct AddressTests {
  @Test(arguments: [
    "localhost", "LOCALHOST", "127.0.0.1", "127.255.0.9", "::1", "[::1]",
  ])
  func theseAreThisMachine(host: String) { #expect(LoopbackName.contains(host)) }

  @Test(arguments: [
    "127.example.com", "127.1", "128.0.0.1", "::2", "localhost.example.com", "", "[::1", "0.0.0.0",
  ])
  func theseMayBeAnyone(host: String) { #expect(!LoopbackName.contains(host)) }

  @Test func anAddressIsTakenApart() throws {
    let plain = try #require(HTTPAddress("http://localhost:8080/v1"))
    #expect((plain.isSecure, plain.port, plain.isLoopback) == (false, 8080, true))
    let secure = try #require(HTTPAddress("https://[2001:db8::1]"))
    #expect((secure.isSecure, secure.port, secure.name) == (true, 443, "2001:db8::1"))
    #expect(!secure.isLoopback)
  }

  @Test(arguments: ["ftp://host", "host:80", "http://", "", "/v1"])
  func otherTextsAreRefused(text: String) { #expect(HTTPAddress(text) == nil) }
}
