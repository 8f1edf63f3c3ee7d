import Foundation

/// Reads property lists from outside.
///
/// Foundation on Linux crashes on a binary property list that holds a set, and unfolds objects that are referenced from
/// several places each time anew, so that a few hundred bytes take all memory. Binary lists are therefore checked
/// before Foundation sees them. In XML neither can be written.
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
