/// What a background task was made to do.
package struct BackgroundTaskDescription: Codable, Sendable {
  package enum Kind: String, Codable, Sendable { case download, upload }

  /// The task's number in its session; 0 before it has one.
  package var identifier = 0
  package var kind: Kind
  /// The request with the session's fields, as ``BackgroundValues`` has it.
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

extension BackgroundTaskDescription: CompactValue {
  package func write(to writer: inout CompactWriter) {
    writer.integer(identifier)
    writer.flag(kind == .upload)
    writer.bytes(request)
    writer.optional(body) { $0.text($1) }
    writer.integer(bodyLength)
    writer.optional(resumeData) { $0.bytes($1) }
    hints.write(to: &writer)
  }

  package init?(reading reader: inout CompactReader) {
    guard let identifier = reader.integer(Int.self), let isUpload = reader.flag(), let request = reader.bytes(),
      let body = reader.optional({ $0.text() }), let bodyLength = reader.integer(Int64.self),
      let resumeData = reader.optional({ $0.bytes() }), let hints = BackgroundTaskHints(reading: &reader)
    else { return nil }
    self.init(kind: isUpload ? .upload : .download, request: request)
    self.identifier = identifier
    (self.body, self.bodyLength, self.resumeData) = (body, bodyLength, resumeData)
    self.hints = hints
  }
}
