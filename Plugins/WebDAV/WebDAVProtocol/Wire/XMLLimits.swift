/// What is read of a document at most, so that no server fills memory. Real answers are far below.
struct XMLLimits: Sendable {
  /// Elements inside of one another.
  var depth = 64
  /// Attributes of an element, and so namespaces that it declares.
  var attributes = 64
  /// Bytes of a tag, attributes included.
  var tag = 16 << 10
  /// Bytes of a text that is kept, such as a name.
  var text = 64 << 10
  /// Names in one `response` (RFC 4918, section 14.24), where several share a status.
  var names = 1000
}
