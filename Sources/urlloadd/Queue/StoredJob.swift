import Foundation
import URLLoading

/// What is stored of a task beside its state: written once, or seldom.
struct StoredJob: Sendable {
  var description: BackgroundTaskDescription
  /// For the next start of the transfer.
  var resumption: Resumption?
  /// The head of the response, as a property list.
  var response: Data?
  var outcome: BackgroundOutcome?

  /// How a transfer that was killed is resumed.
  struct Resumption: Codable, Sendable, Equatable {
    var data: Data
    /// The file that it names; nil for an upload.
    var file: String?
    /// Bytes of the file that are known to be on the disk, and in which boot of the machine more may be there.
    var syncedLength: Int64 = 0
    var boot: String
  }
}
