/// A resource without byte ranges: its one answer goes to a file, and reads wait for the bytes that they need.
///
/// Mutable state: none but that of `spool`.
final class SpooledSource: RandomAccessSource {
  let url: URL
  let length: Int64
  let waitsForDisk = true
  private let spool: SpoolFile
  private let task: URLSessionTask

  init(url: URL, length: Int64, spool: SpoolFile, task: URLSessionTask) {
    self.url = url
    self.length = length
    self.spool = spool
    self.task = task
  }

  deinit {
    task.cancel()
  }

  func addStream() -> Int { 0 }
  func removeStream(_ stream: Int) {}

  func begin(_ bytes: Range<Int64>, stream: Int, handle: ReadHandle) throws -> RunningRead {
    RunningRead(bytes: bytes, handle: handle)
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
