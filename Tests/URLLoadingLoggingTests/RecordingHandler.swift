import Logging
import URLLoadingTestServers

/// Keeps what is logged.
struct RecordingHandler: LogHandler {
  /// A message.
  struct Line: Sendable {
    let level: Logger.Level
    let message: String
    let metadata: [String: String]
  }

  let lines: Watched<[Line]>
  var metadata = Logger.Metadata()
  var logLevel = Logger.Level.trace

  init(_ lines: Watched<[Line]>) {
    self.lines = lines
  }

  subscript(metadataKey key: String) -> Logger.MetadataValue? {
    get { metadata[key] }
    set { metadata[key] = newValue }
  }

  func log(event: LogEvent) {
    let values = (event.metadata ?? [:]).mapValues { "\($0)" }
    lines.update { $0.append(Line(level: event.level, message: "\(event.message)", metadata: values)) }
  }
}
