import URLLoading

/// What the owner of a task received.
struct LoadOutcome: Sendable {
  var response: URLResponse?
  var body = Data()
  var error: (any Error)?
  /// How often completion was reported.
  var completions = 0
  /// The delegate's calls about a data task's body, in their order, repetitions left out.
  var calls: [String] = []
  /// Offsets of `didResumeAtOffset`.
  var resumedAt: [Int64] = []
  /// New bytes, total and expected total of each `didSendBodyData`.
  var sent: [[Int64]] = []
  /// What the task counted; nil where there is no task to ask.
  var countOfBytesReceived: Int64?
  var countOfBytesSent: Int64?

  var status: Int? { (response as? HTTPURLResponse)?.statusCode }
  var code: URLError.Code? { (error as? URLError)?.code }

  /// For messages.
  var errorText: String {
    guard let error else { return "no error" }
    let number = (error as NSError).code
    return "the error \(number) (\((error as NSError).localizedDescription))"
  }
}
