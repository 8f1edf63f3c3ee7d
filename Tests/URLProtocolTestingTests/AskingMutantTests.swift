import Foundation
import Testing
import URLLoading
import URLLoadingTestServers
import URLProtocolTesting

/// Each fault of a class that challenges and redirects fails the checks that are about it.
@Suite(.timeLimit(.minutes(5))) struct AskingMutantTests {
  static let faults: [(AskingFault, check: String, message: String)] = [
    (
      .neverAsks, "the right credential gets the whole",
      "expected 1 challenge by a data task with a delegate, but there were 0"
    ),
    (.neverAsks, "no credential gets nothing", "but there were 0"),
    (.neverAsks, "a wrong credential gets nothing", "bytes of it came"),
    (.neverAsks, "cancel while the delegate is asked for a credential", "it was asked 0 times"),
    (.failsAtOnce, "the right credential gets the whole", "but there were 0"),
    (.failsAtOnce, "a wrong credential gets nothing", "a challenge, but there was none"),
    (.asksTwice, "the right credential gets the whole", "but there were 2"),
    (.forgetsFailures, "a wrong credential gets nothing", "they had [0, 0]"),
    (.forgetsFailures, "the right credential after a wrong one", "they had [0, 0]"),
    (.sendsWhileAsked, "cancel while the delegate is asked for a credential", "70000 bytes came"),
    (.sendsWhileAsked, "a wrong credential gets nothing", "bytes of it came"),
    (.keepsWhileAsked, "cancel while the delegate is asked for a credential", "still retained its client"),
    (.keepsWhileAsked, "the delegate cancels a challenge", "still retained its client"),
    (.hangsAfterLogin, "the right credential gets the whole", "an end within"),
    (.wrongHost, "a challenge says who asks for what", "whose host is wrongHost, but it is localhost"),
    (.wrongRealm, "a challenge says who asks for what", "whose realm is Shelf, but it is Another"),
    (.wrongMethod, "a challenge says who asks for what", "whose authenticationMethod is"),
    (
      .newRealmEachTime, "a credential that is kept answers the next challenge",
      "1 challenge in two loads of one session, but"
    ),
    (.takesAny, "a wrong credential gets nothing", "70000 bytes of it came"),
    (.takesNone, "no credential gets nothing", "70000 bytes of it came"),
    (.sendsThenFails, "no credential gets nothing", "70000 bytes were sent"),
    (.rejectsRight, "the right credential gets the whole", "-1013"),
    (.reusesRefused, "what was refused is not used again", "a challenge in the load after one with a wrong credential"),
    (.failsByOtherCode, "a wrong credential gets nothing", "(-1013) with a wrong credential"),
    (.failsByOtherCode, "no credential gets nothing", "(-1013) without a credential"),
    (.isEmptyWithoutLogin, "no credential gets nothing", "there was no error"),
    (.losesByteAfterLogin, "the right credential gets the whole", "only the first 69999 bytes of 70000"),
    (.losesByteAfterLogin, "the right credential after a wrong one", "only the first 69999 bytes of 70000"),
    (.followsByItself, "a redirect leads to the new URL", "one redirect, but there were 0"),
    (.followsByItself, "a redirect to itself comes to an end", "-1007"),
    (.followsByItself, "cancel while the delegate is asked about a redirect", "it was asked 0 times"),
    (.leadsElsewhere, "a redirect leads to the new URL", "it led to asking://leadsElsewhere/other"),
    (.respondsByNewURL, "a redirect leads to the new URL", "the redirect's response to have the URL"),
    (.repeatsRedirect, "a refused redirect gives its own response", "a second redirect"),
    (.sendsBehindRedirect, "a refused redirect gives its own response", "nothing of the new URL's body"),
    (.keepsAfterRedirect, "a redirect leads to the new URL", "still retained its client"),
    (.keepsAfterRedirect, "cancel while the delegate is asked about a redirect", "still retained its client"),
    (.loopEndsWell, "a redirect to itself comes to an end", "there was no error"),
  ]

  @Test(arguments: faults) func faultIsFound(_ fault: AskingFault, check name: String, message: String) async throws {
    let fixture = AskingFixture(fault: fault)
    let check = try #require(URLProtocolConformance.checks(for: fixture).first { $0.name == name })
    let hangs = [.hangsAfterLogin, .keepsWhileAsked, .keepsAfterRedirect].contains(fault)
    let failure = try await #require(throws: ConformanceFailure.self) {
      try await check.run(fixture, timeLimit: hangs ? .seconds(2) : .seconds(Sanitizing.isOn ? 240 : 30))
    }
    #expect(failure.check == name)
    #expect(failure.description.contains(message), "\(failure)")
    #expect(failure.advice.hasSuffix("."))
  }

  /// A load may log in at a gate first, as at a proxy: each of the two has its own counts.
  @Test(
    arguments: [
      "the right credential gets the whole", "a challenge says who asks for what", "a wrong credential gets nothing",
      "the right credential after a wrong one", "no credential gets nothing",
    ])
  func twoProtectionSpacesAreCountedApart(_ name: String) async throws {
    let fixture = AskingFixture(fault: .none, hasGate: true)
    let check = try #require(URLProtocolConformance.checks(for: fixture).first { $0.name == name })
    try await check.run(fixture, timeLimit: .seconds(Sanitizing.isOn ? 240 : 60))
  }

  @Test func everyFaultIsInTheTable() {
    let missing = Set(AskingFault.allCases).subtracting(Self.faults.map(\.0)).subtracting([.none])
    #expect(missing.isEmpty)
  }

  /// Without its faults the class is sound, in what it is there for.
  @Test(
    arguments: URLProtocolConformance.checks(for: AskingFixture(fault: .none)).filter { !$0.abilities.isEmpty })
  func soundClass(_ check: ConformanceCheck) async throws {
    try await check.run(AskingFixture(fault: .none), timeLimit: .seconds(Sanitizing.isOn ? 240 : 60))
  }
}
