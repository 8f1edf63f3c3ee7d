import URLLoading

/// What a `multistatus` document says of one resource (RFC 4918, section 14.24).
struct MultistatusResource: Equatable {
  /// The properties that were found. Nil for what was not, and for what is no value.
  struct Properties: Equatable {
    /// Of `resourcetype`: whether it is a collection.
    var isDirectory: Bool?
    var size: Int64?
    var modificationDate: Date?
    var entityTag: String?
    var mediaType: String?
  }

  /// The reference as it stands: percent-encoded, a path or a whole URL.
  var reference: [UInt8]
  /// The status of the resource as a whole (RFC 4918, section 13); nil where its properties have one each.
  var status: Int?
  var properties = Properties()
}
