import Foundation
import Testing
import URLLoading
import URLProtocolTesting

/// Each fault of a class that lists fails the check about it.
@Suite(.timeLimit(.minutes(2))) struct ListingMutantTests {
  static let faults: [(fault: String, check: String, message: String)] = [
    ("losesEntry", "a directory lists what is in it", "the names"),
    ("wrongSize", "a directory lists what is in it", "a size of"),
    ("wrongKind", "a directory lists what is in it", "a file, or a kind"),
    ("neverEnds", "a directory lists what is in it", "more than 1000"),
    ("stalls", "a listing can be left on its way", "listing"),
    ("listsFiles", "a file is no directory, and a directory no file", "a listing of a file"),
    ("loadsDirectories", "a file is no directory, and a directory no file", "-1101"),
  ]

  @Test(arguments: faults) func faultIsFound(_ fault: String, check name: String, message: String) async throws {
    let fixture = ListingFixture(fault: fault)
    let check = try #require(URLProtocolConformance.checks(for: fixture).first { $0.name == name })
    let failure = try await #require(throws: ConformanceFailure.self) {
      try await check.run(fixture, timeLimit: .seconds(fault == "stalls" ? 2 : 30))
    }
    #expect(failure.description.contains(message), "\(failure)")
  }

  @Test(arguments: [
    "a directory lists what is in it", "a listing can be left on its way",
    "a file is no directory, and a directory no file",
  ])
  func aSoundClassPasses(_ name: String) async throws {
    let fixture = ListingFixture(fault: "none")
    let check = try #require(URLProtocolConformance.checks(for: fixture).first { $0.name == name })
    try await check.run(fixture)
  }
}
