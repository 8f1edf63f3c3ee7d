/// What a load keeps of an upload that may be resumed.
struct UploadLoad: Sendable {
  var machine: ResumableUpload
  let body: UploadBody
  /// The request that began the upload, without its body.
  let request: URLRequest
  /// What leads to the resource of another origin, as the delegate has it.
  var elsewhere: URLRequest?
  /// The delegate is asked whether the upload goes to another origin.
  var asksLeave = false
  /// Where the body of the running request begins in the whole.
  var firstByte: Int64 = 0
  /// What went wrong last.
  var interruption: (any Error)?

  var length: Int64? { machine.length }

  /// The request that those about the resource are made of.
  private var template: URLRequest { machine.isElsewhere ? elsewhere ?? request : request }

  /// Asks how much of the body is there; nil while there is no resource.
  var offsetRequest: URLRequest? { machine.resource.map { UploadRequests.ask(about: $0, as: template) } }

  /// Sends a part, which is to be added; nil while there is no resource.
  func request(for part: ResumableUpload.Part) -> URLRequest? {
    machine.resource.map { UploadRequests.append(part, to: $0, as: template) }
  }

  /// Cancels the upload on the server; nil where that cannot be asked for it.
  var cancellation: URLRequest? { machine.resource.flatMap { UploadRequests.cancel($0, as: request) } }

  /// What a later task needs to go on; nil where the upload cannot go on.
  /// - Parameters:
  ///   - original: the task's request.
  ///   - earlier: what this task has gone on from.
  func resumeData(for original: URLRequest, earlier: UploadResumeData?, at now: Date) -> UploadResumeData? {
    guard machine.isResumable(at: now), body.failure == nil else { return nil }
    return UploadResumeData(self, original: original, earlier: earlier)
  }
}
