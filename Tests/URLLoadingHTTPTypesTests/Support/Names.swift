import HTTPTypes

// The test servers have types of these names, too.
typealias HTTPRequest = HTTPTypes.HTTPRequest
typealias HTTPResponse = HTTPTypes.HTTPResponse
typealias HTTPFields = HTTPTypes.HTTPFields

extension HTTPField.Name {
  /// A name that is one.
  static func named(_ text: String) throws -> HTTPField.Name {
    guard let name = HTTPField.Name(text) else { throw NoFieldName(text: text) }
    return name
  }

  private struct NoFieldName: Error { let text: String }
}
