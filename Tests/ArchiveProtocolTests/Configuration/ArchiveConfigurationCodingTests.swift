import Foundation
import Testing

@testable import ArchiveProtocol

/// Limits on their way from a program to the transfer service.
@Suite struct ArchiveConfigurationCodingTests {
  private static var strict: ArchiveConfiguration {
    var configuration = ArchiveConfiguration()
    configuration.optionalFormats = Set(ArchiveConfiguration.OptionalFormat.allCases)
    configuration.maximumExpansionRatio = 1
    configuration.freelyExpandedBytes = 2
    configuration.maximumMemberSize = 3
    configuration.maximumMembers = 4
    configuration.maximumIndexBytes = 5
    configuration.maximumNestingDepth = 6
    configuration.maximumSpooledBytes = 7
    configuration.indexDirectory = URL(fileURLWithPath: "/index/", isDirectory: true)
    configuration.temporaryDirectory = URL(fileURLWithPath: "/spool/", isDirectory: true)
    return configuration
  }

  private func encode(_ configuration: ArchiveConfiguration) throws -> Data {
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    return try encoder.encode(configuration)
  }

  private func decode(_ text: String) throws -> ArchiveConfiguration {
    try JSONDecoder().decode(ArchiveConfiguration.self, from: Data(text.utf8))
  }

  @Test func everyPropertyArrives() throws {
    for configuration in [Self.strict, ArchiveConfiguration()] {
      #expect(try JSONDecoder().decode(ArchiveConfiguration.self, from: encode(configuration)) == configuration)
    }
  }

  /// A set has another order in each process, which the text must not show.
  @Test func equalValuesHaveOneText() throws {
    let text = String(decoding: try encode(Self.strict), as: UTF8.self)
    #expect(text.contains(#""optionalFormats":["cab","lha","rar","rar5","warc","xar"]"#), "\(text)")
  }

  @Test func whatIsMissingHasItsDefault() throws {
    #expect(try decode("{}") == ArchiveConfiguration())
    var expected = ArchiveConfiguration()
    expected.maximumMembers = 10
    #expect(try decode(#"{"maximumMembers": 10}"#) == expected)
  }

  /// Of a later version.
  @Test func unknownNamesSayNothing() throws {
    var expected = ArchiveConfiguration()
    expected.optionalFormats = [.rar5]
    #expect(try decode(#"{"optionalFormats": ["arj", "rar5"], "maximumLinks": 3}"#) == expected)
  }

  @Test func aLimitThatCannotBeReadIsNotDropped() {
    #expect(throws: DecodingError.self) { try decode(#"{"maximumMembers": "few"}"#) }
    #expect(throws: DecodingError.self) { try decode(#"{"maximumMemberSize": 1e30}"#) }
  }
}
