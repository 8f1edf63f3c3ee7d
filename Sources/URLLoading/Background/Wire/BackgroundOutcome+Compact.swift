extension BackgroundOutcome: CompactValue {
  package func write(to writer: inout CompactWriter) {
    writer.optional(file) { $0.text($1) }
    writer.optional(error) { $1.write(to: &$0) }
    writer.flag(tookFile)
    progress.write(to: &writer)
    writer.optional(resumeData) { $0.bytes($1) }
    writer.optional(metrics) { $1.write(to: &$0) }
  }

  package init?(reading reader: inout CompactReader) {
    guard let file = reader.optional({ $0.text() }), let error = reader.optional({ BackgroundFailure(reading: &$0) }),
      let tookFile = reader.flag(), let progress = BackgroundProgress(reading: &reader),
      let resumeData = reader.optional({ $0.bytes() }),
      let metrics = reader.optional({ BackgroundMetrics(reading: &$0) })
    else { return nil }
    self.init()
    self.file = file
    self.error = error
    self.tookFile = tookFile
    self.progress = progress
    self.resumeData = resumeData
    self.metrics = metrics
  }
}

extension BackgroundProgress: CompactValue {
  package func write(to writer: inout CompactWriter) {
    writer.integer(max(0, received))
    writer.integer(max(-1, expectedToReceive))
    writer.integer(max(0, sent))
  }

  /// Counts that no transfer has are damage: who reads them adds and subtracts.
  package init?(reading reader: inout CompactReader) {
    guard let received = reader.integer(Int64.self), let expected = reader.integer(Int64.self),
      let sent = reader.integer(Int64.self), received >= 0, expected >= -1, sent >= 0
    else { return nil }
    self.init()
    (self.received, expectedToReceive, self.sent) = (received, expected, sent)
  }
}
