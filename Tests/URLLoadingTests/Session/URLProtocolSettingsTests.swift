import Testing

@testable import URLLoading

private struct TapeSettings: URLProtocolSettings, Equatable {
  var drive = "st0"
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
