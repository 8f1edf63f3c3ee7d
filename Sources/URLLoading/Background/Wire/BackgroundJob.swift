/// A task of any program, for people.
package struct BackgroundJob: Codable, Sendable {
  /// The number in the service's queue.
  package var number: Int
  package var session: String
  package var program: String
  /// Without its secrets.
  package var url: String
  package var kind: BackgroundTaskDescription.Kind
  /// In plain words.
  package var state: String
  package var hasEnded: Bool
  package var progress: BackgroundProgress
  /// The last failure, or the one that ended it.
  package var failure: String?
  package var nextTry: Date?

  package init(
    number: Int, session: String, program: String, url: String, kind: BackgroundTaskDescription.Kind, state: String,
    hasEnded: Bool, progress: BackgroundProgress, failure: String?, nextTry: Date?
  ) {
    self.number = number
    self.session = session
    self.program = program
    self.url = url
    self.kind = kind
    self.state = state
    self.hasEnded = hasEnded
    self.progress = progress
    self.failure = failure
    self.nextTry = nextTry
  }
}

/// What all transfers of a user may use together; nil leaves a limit as it is.
package struct BackgroundLimits: Codable, Sendable, Hashable {
  /// Transfers at once.
  package var transfers: Int?
  package var transfersPerHost: Int?
  /// 0 for no limit.
  package var bytesPerSecond: Int64?
  /// Bytes of the disk that downloads, and copies of files to upload, leave free.
  package var freeSpace: Int64?

  package init(
    transfers: Int? = nil, transfersPerHost: Int? = nil, bytesPerSecond: Int64? = nil, freeSpace: Int64? = nil
  ) {
    self.transfers = transfers
    self.transfersPerHost = transfersPerHost
    self.bytesPerSecond = bytesPerSecond
    self.freeSpace = freeSpace
  }
}
