extension NumberedCommand: BackgroundMessage {
  private enum Kind: UInt8 { case create = 1, resume, suspend, tookFile, tookEnd }

  package func write(to writer: inout CompactWriter) -> Bool {
    switch command {
    case .create(let task):
      writer.byte(Kind.create.rawValue)
      writer.integer(number)
      task.write(to: &writer)
    case .resume(let task): write(.resume, task, to: &writer)
    case .suspend(let task): write(.suspend, task, to: &writer)
    case .tookFile(let task): write(.tookFile, task, to: &writer)
    case .tookEnd(let task): write(.tookEnd, task, to: &writer)
    default: return false
    }
    return true
  }

  private func write(_ kind: Kind, _ task: Int, to writer: inout CompactWriter) {
    writer.byte(kind.rawValue)
    writer.integer(number)
    writer.integer(task)
  }

  package init?(reading reader: inout CompactReader) {
    guard let kind = reader.byte().flatMap({ Kind(rawValue: $0) }), let number = reader.integer(Int.self) else {
      return nil
    }
    let command: BackgroundCommand? =
      switch kind {
      case .create: BackgroundTaskDescription(reading: &reader).map { .create(task: $0) }
      case .resume: reader.integer(Int.self).map { .resume(task: $0) }
      case .suspend: reader.integer(Int.self).map { .suspend(task: $0) }
      case .tookFile: reader.integer(Int.self).map { .tookFile(task: $0) }
      case .tookEnd: reader.integer(Int.self).map { .tookEnd(task: $0) }
      }
    guard let command else { return nil }
    self.init(number: number, command: command)
  }
}
