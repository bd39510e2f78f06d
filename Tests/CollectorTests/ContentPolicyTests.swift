import Foundation
import NeverCalled
import TestSupport
import Testing

@testable import Collector

@Suite struct ContentPolicyTests {
  /// A browser runs a script only if the policy has its digest.
  @Test func thePolicyAllowsTheScriptOfThePage() throws {
    let directory = try TemporaryDirectory()
    let script = try directory.write(DeadFormat.pageScript, to: "script.js")
    let digest = try Command.check(["sh", "-c", "openssl dgst -sha256 -binary \(script) | base64"])
    #expect(digest == ContentPolicy.deadPageScript + "\n")
  }
}
