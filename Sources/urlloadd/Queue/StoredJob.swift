import Foundation
import URLLoading

/// What is stored of a task beside its state: written once, or seldom.
struct StoredJob: Sendable {
  var description: BackgroundTaskDescription
  /// For the next start of the transfer.
  var resumption: Resumption?
  /// The head of the response, as `BackgroundValues` has it.
  var response: Data?
  var outcome: BackgroundOutcome?

  /// How a transfer that was killed is resumed.
  struct Resumption: Sendable, Equatable {
    var data: Data
    /// The file that it names; nil for an upload.
    var file: String?
    /// Bytes of the file that are known to be on the disk, and in which boot of the machine more may be there.
    var syncedLength: Int64 = 0
    var boot: String
  }
}

extension StoredJob.Resumption: CompactValue {
  func write(to writer: inout CompactWriter) {
    writer.bytes(data)
    writer.optional(file) { $0.text($1) }
    writer.integer(syncedLength)
    writer.text(boot)
  }

  init?(reading reader: inout CompactReader) {
    guard let data = reader.bytes(), let file = reader.optional({ $0.text() }),
      let syncedLength = reader.integer(Int64.self), syncedLength >= 0, let boot = reader.text()
    else { return nil }
    self.init(data: data, file: file, syncedLength: syncedLength, boot: boot)
  }
}
