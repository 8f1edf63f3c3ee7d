extension BackgroundReport: BackgroundMessage {
  private enum Kind: UInt8 { case task = 1, done, event }

  package func write(to writer: inout CompactWriter) -> Bool {
    switch self {
    case .task(let task, let isSuspended):
      writer.byte(Kind.task.rawValue)
      writer.flag(isSuspended)
      task.write(to: &writer)
    case .done(let number):
      writer.byte(Kind.done.rawValue)
      writer.integer(number)
    case .event(let task, let event):
      guard let kind = event.kind else { return false }
      writer.byte(Kind.event.rawValue)
      writer.integer(task)
      writer.byte(kind.rawValue)
      event.writeContent(to: &writer)
    default: return false
    }
    return true
  }

  package init?(reading reader: inout CompactReader) {
    switch reader.byte().flatMap({ Kind(rawValue: $0) }) {
    case .task:
      guard let isSuspended = reader.flag(), let task = BackgroundTaskDescription(reading: &reader) else { return nil }
      self = .task(task, isSuspended: isSuspended)
    case .done:
      guard let number = reader.integer(Int.self) else { return nil }
      self = .done(number: number)
    case .event:
      guard let task = reader.integer(Int.self), let event = BackgroundEvent(reading: &reader) else { return nil }
      self = .event(task: task, event)
    case nil: return nil
    }
  }
}

extension BackgroundEvent {
  fileprivate enum Kind: UInt8 { case request = 1, waits, response, resumed, progress, ended }

  /// Nil for a question: these are seldom, and JSON.
  fileprivate var kind: Kind? {
    switch self {
    case .request: .request
    case .waitsForConnectivity: .waits
    case .response: .response
    case .resumed: .resumed
    case .progress: .progress
    case .ended: .ended
    case .asks: nil
    }
  }

  fileprivate func writeContent(to writer: inout CompactWriter) {
    switch self {
    case .request(let data), .response(let data): writer.bytes(data)
    case .resumed(let offset, let expected):
      writer.integer(offset)
      writer.integer(expected)
    case .progress(let progress): progress.write(to: &writer)
    case .ended(let outcome): outcome.write(to: &writer)
    case .waitsForConnectivity, .asks: break
    }
  }

  fileprivate init?(reading reader: inout CompactReader) {
    switch reader.byte().flatMap({ Kind(rawValue: $0) }) {
    case .request:
      guard let data = reader.bytes() else { return nil }
      self = .request(data)
    case .waits: self = .waitsForConnectivity
    case .response:
      guard let data = reader.bytes() else { return nil }
      self = .response(data)
    case .resumed:
      guard let offset = reader.integer(Int64.self), let expected = reader.integer(Int64.self) else { return nil }
      self = .resumed(offset: offset, expected: expected)
    case .progress:
      guard let progress = BackgroundProgress(reading: &reader) else { return nil }
      self = .progress(progress)
    case .ended:
      guard let outcome = BackgroundOutcome(reading: &reader) else { return nil }
      self = .ended(outcome)
    case nil: return nil
    }
  }
}
