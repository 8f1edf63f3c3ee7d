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
  var template: URLRequest { machine.isElsewhere ? elsewhere ?? request : request }
}
