/// Reads property lists from outside.
///
/// Foundation on Linux (Swift 6.3) crashes on a binary property list with a set, and copies an object for each reference to it, so that
/// a few hundred bytes take all memory: binary lists are checked first. XML has neither sets nor references.
enum PropertyListReader {
  /// The dictionary that a property list of any format consists of; nil for anything else and for what is damaged.
  static func dictionary(from data: Data) -> [String: Any]? {
    if data.starts(with: Array("bplist".utf8)) {
      var check = BinaryPropertyListCheck(data)
      guard check.isAcceptable() else { return nil }
    }
    return try? PropertyListSerialization.propertyList(from: data, options: [], format: nil) as? [String: Any]
  }
}
