/// How many copies of a session load from servers at once: each holds a connection or an open file of its source until its target has taken all,
/// and servers have few of these.
final class CopyLimit: URLSessionComponent {
  /// Half of the files that an SFTP server has open at once where it does not tell more.
  static let count = 32

  private let limit = WorkLimit(count)

  init(configuration: URLSessionConfiguration) {}
  func flush() {}
  func invalidate() {}

  /// Calls a function when its turn has come.
  /// - Throws: `CancellationError` where the task is cancelled ahead of that, and what the function throws.
  func run<Result>(_ work: () async throws -> Result) async throws -> Result { try await limit.run(1, work) }
}
