import URLLoading

/// Jobs that go to `urlload jobs` in one message: a value without I/O.
struct JobBatch {
  private static let count = 200
  /// In bytes, about.
  private static let size = 128 << 10

  private(set) var jobs: [BackgroundJob] = []
  private var size = 0

  var isFull: Bool { jobs.count >= Self.count || size >= Self.size }

  mutating func append(_ job: BackgroundJob) {
    jobs.append(job)
    size += job.url.utf8.count + (job.failure?.utf8.count ?? 0)
  }

  mutating func take() -> [BackgroundJob] {
    defer { self = JobBatch() }
    return jobs
  }
}
