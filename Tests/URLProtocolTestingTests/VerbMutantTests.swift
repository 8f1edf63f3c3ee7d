import Foundation
import Testing
import URLLoading
import URLProtocolTesting

/// Each fault of a class that removes, makes, moves, copies and describes fails the check about it.
@Suite(.timeLimit(.minutes(2))) struct VerbMutantTests {
  static let faults: [(fault: String, check: String, message: String)] = [
    ("keeps", "DELETE removes what a URL names", "what was removed"),
    ("missingIsRemoved", "DELETE removes what a URL names", "a second DELETE"),
    ("removesTrees", "DELETE keeps a directory with something in it", "not empty"),
    ("makesFiles", "MKCOL makes a directory", "-1101"),
    ("makesTwice", "MKCOL makes a directory", "a second MKCOL"),
    ("swaps", "MOVE gives another name", "moved away"),
    ("losesBytes", "MOVE gives another name", "999"),
    ("alwaysReplaces", "MOVE replaces only where it may", "Overwrite: F"),
    ("neverReplaces", "MOVE replaces only where it may", "after a MOVE"),
    ("swaps", "COPY makes another one", "-1100"),
    ("losesBytes", "COPY makes another one", "999"),
    ("alwaysReplaces", "COPY replaces only where it may", "Overwrite: F"),
    ("neverReplaces", "COPY replaces only where it may", "after a COPY"),
    ("wrongKind", "a description says what a load would", "a kind that is not known"),
    ("wrongSize", "a description says what a load would", "a size of 1000"),
    ("wrongTag", "a description says what a load would", "the entity tag"),
    ("hidesDirectories", "a directory is described, and nothing is an error", "a directory"),
    ("describesNothing", "a directory is described, and nothing is an error", "a description of nothing"),
  ]

  @Test(arguments: faults) func faultIsFound(_ fault: String, check name: String, message: String) async throws {
    let fixture = VerbFixture(fault: fault)
    let check = try #require(URLProtocolConformance.checks(for: fixture).first { $0.name == name })
    let failure = try await #require(throws: ConformanceFailure.self) { try await check.run(fixture) }
    #expect(failure.description.contains(message), "\(failure)")
  }

  @Test(arguments: Set(faults.map(\.check)).sorted()) func aSoundClassPasses(_ name: String) async throws {
    let fixture = VerbFixture(fault: "none")
    let check = try #require(URLProtocolConformance.checks(for: fixture).first { $0.name == name })
    try await check.run(fixture)
  }
}
