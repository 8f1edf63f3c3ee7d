/// What can be wrong with an archive or a request for a member. The load adds the archive's URL and the member.
enum ArchiveError: Error, Hashable {
  /// The bytes are of no format that is enabled; what they look like, if that is known.
  case unknownFormat(String?)
  /// The archive contradicts itself or ends too early; what exactly.
  case damaged(String)
  /// A limit was passed: what it limits, its value, and the property of the configuration that raises it.
  case limitExceeded(what: String, limit: Int64, property: String)
  case passwordRequired
  case wrongPassword
  /// The member is packed or encrypted in a way that cannot be read.
  case unsupported(String)
  case cancelled

  static let splitZip = ArchiveError.unsupported("a zip archive that is split over several files")
}
