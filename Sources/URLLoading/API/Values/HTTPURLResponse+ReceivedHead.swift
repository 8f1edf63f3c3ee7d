internal import URLLoadingHTTPSemantics

extension HTTPURLResponse {
  /// The head of a response as received: the version, the status, and the fields in order, in the server's spelling,
  /// with repeated fields separate. Not in Apple's API.
  ///
  /// `allHeaderFields` is a dictionary, with the usual spellings of names and repeated fields joined.
  ///
  /// ```swift
  /// for field in HTTPURLResponse.ReceivedHead(response).fields { print("\(field.name): \(field.value)") }
  /// ```
  public struct ReceivedHead: Sendable, Hashable {
    /// A line of the head.
    public struct Field: Sendable, Hashable {
      /// The name, in the sender's spelling; HTTP/2 has lower case alone (RFC 9113, section 8.2).
      public let name: String
      /// The value, without the whitespace around it.
      public let value: String
    }

    /// The protocol's name and version as a status line has them: `HTTP/1.1`, `HTTP/2`.
    public let httpVersion: String
    /// The status code (RFC 9110, section 15). No reason phrase is kept.
    public let statusCode: Int
    /// The fields, in the order in which they came. Trailer fields are not among them.
    public let fields: [Field]

    /// Reads the head of a response. One that a program has made has what it was made with; what a subclass overrides does not count.
    public init(_ response: HTTPURLResponse) {
      httpVersion = response.httpVersion
      statusCode = response.receivedStatus
      fields = response.fields.fields.map { Field(name: $0.name, value: $0.value) }
    }
  }
}
