/// What a background task was made to do.
package struct BackgroundTaskDescription: Codable, Sendable {
  package enum Kind: String, Codable, Sendable { case download, upload }

  /// The task's number in its session; 0 before it has one.
  package var identifier = 0
  package var kind: Kind
  /// The request with the session's fields, as a property list.
  package var request: Data
  /// The name, in the service's folder of files, of what is uploaded.
  package var body: String?
  /// In bytes.
  package var bodyLength: Int64 = 0
  package var resumeData: Data?
  package var hints = BackgroundTaskHints()

  package init(kind: Kind, request: Data) {
    self.kind = kind
    self.request = request
  }
}
