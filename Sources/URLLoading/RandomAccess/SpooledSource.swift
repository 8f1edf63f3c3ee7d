/// A resource without byte ranges: its one answer is spooled, and reads wait for their bytes.
///
/// Mutable state: none but that of `spool`.
final class SpooledSource: RandomAccessSource {
  let url: URL
  let length: Int64
  let waitsForDisk = true
  private let spool: BodySpool
  private let task: URLSessionTask

  init(url: URL, length: Int64, spool: BodySpool, task: URLSessionTask) {
    self.url = url
    self.length = length
    self.spool = spool
    self.task = task
  }

  deinit {
    task.cancel()
  }

  func advance(_ read: inout RunningRead, into destination: UnsafeMutableRawPointer) throws -> ReadStep {
    try spool.advance(&read, into: destination)
  }

  func abandon(_ read: RunningRead) { spool.abandon(read) }

  func close() {
    spool.close(closure)
    task.cancel()
  }
}
