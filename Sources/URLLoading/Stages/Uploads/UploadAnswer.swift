internal import URLLoadingHTTPSemantics

/// What a response says about a resumable upload. Fields whose values are not what they are to be count as none, as the draft asks.
struct UploadAnswer: Equatable, Sendable {
  var status: Int
  /// Bytes that the server has.
  var offset: Int64?
  /// Whether it has all of them.
  var isComplete: Bool?
  /// Of the whole body.
  var length: Int64?
  var limits: UploadLimits?
  /// The upload's own resource, as it was written.
  var location: String?
  /// Which version of the draft the server speaks.
  var version: Int64?

  init(status: Int) {
    self.status = status
  }

  init(_ response: HTTPURLResponse) {
    status = response.statusCode
    let fields = response.fields
    offset = StructuredField.count(fields.values(of: "Upload-Offset"))
    isComplete = StructuredField.boolean(fields.values(of: "Upload-Complete"))
    length = StructuredField.count(fields.values(of: "Upload-Length"))
    limits = UploadLimits(fields.values(of: "Upload-Limit"))
    location = response.agreedValue(of: "Location")
    version = StructuredField.count(fields.values(of: "Upload-Draft-Interop-Version"))
  }

  var isSuccess: Bool { 200..<300 ~= status }
  var isServerError: Bool { 500..<600 ~= status }
}
