import Foundation
import Testing
import URLLoading
import URLLoadingTestServers

@testable import URLProtocolTesting

/// The parts of the kit itself.
@Suite(.timeLimit(.minutes(5))) struct KitTests {
  @Test func checksGoByCapabilitiesAndAbilities() {
    let plain = URLProtocolConformance.checks(for: BlockingProtocol.self)
    #expect(plain.allSatisfy { $0.capabilities.isEmpty && $0.abilities.isEmpty })
    #expect(plain.contains { $0.name == "whole loads by data(for:)" })
    let missing = URLProtocolConformance.checks(for: BlockingFixture())
    #expect(Set(missing.map(\.name)).subtracting(plain.map(\.name)) == ["a missing resource fails by code"])
    let all = URLProtocolConformance.all
    #expect(Set(all.map(\.id)).count == all.count)
    // Every check that can be made without a capability, or with those of the class.
    let abilities: FixtureAbilities = [.replacing, .missing, .directories, .challenges, .redirects]
    let mutants = URLProtocolConformance.checks(for: MutantProtocol.self, abilities: abilities)
    #expect(Set(mutants.map(\.name)).isSuperset(of: ["no credential gets nothing", "a redirect leads to the new URL"]))
    let leftOut = Set(all.map(\.id)).subtracting(mutants.map(\.id))
    let others = all.filter { check in
      check.capabilities.contains(.listing) || check.capabilities.contains(.resourceInfo) || check.isOfDirectLoads
        || check.capabilities.acceptedHTTPMethods != nil
    }
    #expect(leftOut == Set(others.map(\.id)) && others.contains { !$0.isOfDirectLoads })
  }

  @Test func directLoadsAreCheckedOfClassesThatHaveThem() {
    let direct = URLProtocolConformance.checks(for: HTTPFixture()).filter(\.isOfDirectLoads)
    #expect(direct.count == URLProtocolConformance.directLoads.count && !direct.isEmpty)
  }

  @Test func aReportNamesWhatPassedFailedAndWasLeftOut() async {
    let report = await URLProtocolConformance.run(ForgetfulFixture(), timeLimit: .seconds(Sanitizing.isOn ? 240 : 30))
    #expect(!report.isConforming)
    #expect(report.passed.contains("whole loads by data(for:)"))
    // It announces what it does not implement.
    #expect(report.failures.map(\.check) == ["a missing resource fails by code"])
    #expect(report.failures.first?.error is UnsupportedByFixture)
    #expect(report.leftOut.contains("ranges at every border"))
    #expect(report.description.contains("failed: ForgetfulFixture does not implement missing()"))
    let count = report.passed.count + report.failures.count + report.leftOut.count
    #expect(count == URLProtocolConformance.all.count)
  }

  @Test func cancellingTheTestCancelsTheCheck() async throws {
    let fixture = MutantFixture(fault: .neverFinishes)
    let check = try #require(URLProtocolConformance.checks(for: fixture).first { $0.name.hasPrefix("whole loads") })
    let running = Task { try await check.run(fixture) }
    running.cancel()
    await #expect(throws: CancellationError.self) { try await running.value }
  }

  @Test func differencesAreNamed() {
    let bytes = TestBytes.make(200_000, seed: "a")
    #expect(bytes == TestBytes.make(200_000, seed: "a") && bytes.count == 200_000)
    #expect(bytes != TestBytes.make(200_000, seed: "b"))
    #expect(TestBytes.difference(bytes, from: bytes) == nil)
    #expect(TestBytes.difference(bytes.prefix(7), from: bytes) == "only the first 7 bytes of 200000 came")
    #expect(TestBytes.difference(bytes + [1], from: bytes)?.hasPrefix("1 bytes too many") == true)
    #expect(TestBytes.difference(bytes.dropFirst(), from: bytes)?.contains("byte 0 on") == true)
    var changed = bytes
    changed[150_000] ^= 1
    #expect(TestBytes.difference(changed, from: bytes)?.contains("byte 150000 on") == true)
  }

  @Test(
    arguments: [
      ([EventOrder.Event.response, .data(1), .finish], nil),
      ([.redirect, .challenge, .response, .finish], nil),
      ([.failure], nil), ([.response, .data(1), .failure], nil),
      ([.finish], "a finish without a response"),
      ([.data(3)], "3 bytes before a response"),
      ([.response, .redirect], "a redirect after the response"),
      ([.redirect, .redirect], "a second redirect"),
      ([.response, .response], "a second response"),
      ([.failure, .response], "a response after a failure"),
      ([.response, .finish, .data(2)], "2 bytes after a finish"),
    ] as [([EventOrder.Event], String?)])
  func orderOfEvents(_ events: [EventOrder.Event], violation: String?) {
    var order = EventOrder()
    for event in events { order.record(event) }
    #expect(order.violations.first == violation)
  }
}

/// Announces more than it implements.
private struct ForgetfulFixture: URLProtocolFixture {
  var protocolClass: URLProtocol.Type { BlockingProtocol.self }
  var abilities: FixtureAbilities { [.replacing, .missing] }

  func place(_ bytes: Data, named name: String) async throws -> URL {
    try await BlockingFixture().place(bytes, named: name)
  }
}
