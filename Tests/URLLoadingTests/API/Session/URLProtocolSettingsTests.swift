import Foundation
import Testing
import URLLoadingTestServers

@testable import URLLoading

private struct TapeSettings: URLProtocolSettings, Equatable {
  var drive = "st0"
}

/// Not private: its name is the same in each process.
struct ReelSettings: URLProtocolSettings, Codable, Equatable {
  var name = "blank"
  var speeds: [Double] = []
}

private struct CartridgeSettings: URLProtocolSettings, Codable, Equatable {
  var slot = 1
}

/// Counts the times that it was read, which always fails.
struct TornSettings: URLProtocolSettings, Codable, Equatable {
  static let reads = Watched(0)

  var slot = 1

  init() {}

  init(from decoder: any Decoder) throws {
    Self.reads.update { $0 += 1 }
    throw DecodingError.dataCorrupted(DecodingError.Context(codingPath: [], debugDescription: "torn"))
  }
}

private struct DrumSettings: URLProtocolSettings, Equatable {
  var heads = 8
}

@Suite struct URLProtocolSettingsTests {
  @Test func areTheDefaultsUntilTheyAreSet() {
    let configuration = URLSessionConfiguration.ephemeral
    #expect(configuration[TapeSettings.self] == TapeSettings())
    configuration[TapeSettings.self].drive = "st1"
    #expect(configuration[TapeSettings.self].drive == "st1")
    #expect(configuration[DrumSettings.self] == DrumSettings())
    #expect(URLSessionConfiguration.ephemeral[TapeSettings.self] == TapeSettings())
  }

  @Test func areCopiedWithTheConfiguration() throws {
    let configuration = URLSessionConfiguration.default
    configuration[TapeSettings.self].drive = "st1"
    configuration[DrumSettings.self].heads = 2
    let copy = try #require(configuration.copy() as? URLSessionConfiguration)
    let session = URLSession(configuration: configuration)
    defer { session.invalidateAndCancel() }
    configuration[TapeSettings.self].drive = "st2"
    for other in [copy, session.configuration] {
      #expect(other[TapeSettings.self].drive == "st1")
      #expect(other[DrumSettings.self].heads == 2)
    }
    copy[TapeSettings.self].drive = "st3"
    #expect(session.configuration[TapeSettings.self].drive == "st1")
  }

  /// As the transfer service gets them.
  @Test func reachAnotherProcessWhereTheyAreCodable() throws {
    let configuration = URLSessionConfiguration.background(withIdentifier: "settings")
    configuration[ReelSettings.self].name = "full"
    configuration[ReelSettings.self].speeds = [4.75, 9.5]
    configuration[DrumSettings.self].heads = 2
    configuration.network.connectionTimeout = 3
    let description = BackgroundSessionDescription(BackgroundSettings(identifier: "settings"), configuration)
    let received = try JSONDecoder().decode(
      BackgroundSessionDescription.self, from: try JSONEncoder().encode(description))
    #expect(received == description && received.settings?.count == 1)
    let service = URLSessionConfiguration.service(for: received, files: "/nowhere")
    #expect(service[ReelSettings.self] == configuration[ReelSettings.self])
    #expect(service[DrumSettings.self] == DrumSettings())
    #expect(service.network.connectionTimeout == 3)
    let copy = try #require(service.copy() as? URLSessionConfiguration)
    #expect(copy[ReelSettings.self].name == "full")
    copy[ReelSettings.self].name = "other"
    #expect(copy[ReelSettings.self].name == "other" && service[ReelSettings.self].name == "full")
  }

  @Test func thatNobodyCanReadAreTheDefaults() {
    let configuration = URLSessionConfiguration.ephemeral
    configuration.receive([
      String(reflecting: ReelSettings.self): Data("[]".utf8), String(reflecting: TornSettings.self): Data("{}".utf8),
    ])
    #expect(configuration[ReelSettings.self] == ReelSettings())
    // They are not read at each access.
    let reads = TornSettings.reads.value
    for _ in 1...3 { #expect(configuration[TornSettings.self] == TornSettings()) }
    #expect(TornSettings.reads.value == reads + 1)
  }

  /// What names such a type in one program names nothing in another.
  @Test func ofPrivateTypesAreNotSent() {
    struct LocalSettings: URLProtocolSettings, Codable { var slot = 1 }
    let configuration = URLSessionConfiguration.ephemeral
    configuration[CartridgeSettings.self].slot = 2
    configuration[LocalSettings.self].slot = 2
    configuration[ReelSettings.self].name = "full"
    #expect(Array(configuration.codableSettings.keys) == [String(reflecting: ReelSettings.self)])
    #expect(configuration[CartridgeSettings.self].slot == 2)
  }

  /// What a resource of the session is made with.
  private final class Drives: URLSessionComponent {
    let settings: TapeSettings
    init(configuration: URLSessionConfiguration) { settings = configuration[TapeSettings.self] }
    func flush() {}
    func invalidate() {}
  }

  @Test func reachTheResourcesOfASession() {
    let configuration = URLSessionConfiguration.ephemeral
    configuration[TapeSettings.self].drive = "st1"
    let session = URLSession(configuration: configuration)
    defer { session.invalidateAndCancel() }
    #expect(session.component(Drives.self).settings.drive == "st1")
  }
}
