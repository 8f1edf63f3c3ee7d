import Foundation
import Testing

@testable import URLLoading

private struct TapeSettings: URLProtocolSettings, Equatable {
  var drive = "st0"
}

private struct ReelSettings: URLProtocolSettings, Codable, Equatable {
  var name = "blank"
  var speeds: [Double] = []
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
    configuration.codableSettings = [String(reflecting: ReelSettings.self): Data("[]".utf8)]
    #expect(configuration[ReelSettings.self] == ReelSettings())
  }

  /// A description of an earlier version, as queues have it, lacks what was added since.
  @Test func areNotNeededInADescription() throws {
    let description = BackgroundSessionDescription(identifier: "a", program: "b")
    let text = try #require(String(data: try JSONEncoder().encode(description), encoding: .utf8))
    #expect(!text.contains("settings"))
    #expect(try JSONDecoder().decode(BackgroundSessionDescription.self, from: Data(text.utf8)) == description)
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
