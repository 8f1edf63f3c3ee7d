import Foundation
import URLLoading

extension Job.State: CompactValue {
  func write(to writer: inout CompactWriter) {
    writer.text(phase.rawValue)
    hints.write(to: &writer)
    writer.optional(resumed) { $0.moment($1) }
    writer.flag(hasAsked)
    writer.integer(Int32(clamping: failures))
    writer.optional(nextTry) { $0.moment($1) }
    writer.optional(lastFailure) { $1.write(to: &$0) }
    progress.write(to: &writer)
    writer.optional(endOrder) { $0.integer($1) }
    writer.flag(tookFile)
    writer.flag(avoidsMetered)
    // Left out where an earlier version has none, so that it can read most tasks, too.
    if crashes > 0 { writer.integer(Int32(clamping: crashes)) }
  }

  init?(reading reader: inout CompactReader) {
    guard let phase = reader.text().flatMap({ Job.Phase(rawValue: $0) }),
      let hints = BackgroundTaskHints(reading: &reader), let resumed = reader.optional({ $0.moment() }),
      let hasAsked = reader.flag(), let failures = reader.integer(Int32.self), failures >= 0,
      let nextTry = reader.optional({ $0.moment() }),
      let lastFailure = reader.optional({ BackgroundFailure(reading: &$0) }),
      let progress = BackgroundProgress(reading: &reader),
      let endOrder = reader.optional({ $0.integer(Int.self) }), let tookFile = reader.flag(),
      let avoidsMetered = reader.flag()
    else { return nil }
    guard let crashes = reader.isAtEnd ? 0 : reader.integer(Int32.self), crashes >= 0 else { return nil }
    // The next task that ends comes after it.
    if let endOrder, endOrder < 0 || endOrder > 1 << 60 { return nil }
    self.init()
    (self.phase, self.hints, self.resumed, self.hasAsked) = (phase, hints, resumed, hasAsked)
    (self.failures, self.nextTry, self.lastFailure) = (Int(failures), nextTry, lastFailure)
    (self.progress, self.endOrder, self.tookFile, self.avoidsMetered) = (progress, endOrder, tookFile, avoidsMetered)
    self.crashes = Int(crashes)
  }
}
