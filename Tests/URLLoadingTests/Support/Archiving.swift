import Foundation

/// An object after it went through a secure keyed archive.
func archivedAndBack<Object: NSObject & NSSecureCoding>(_ object: Object) throws -> Object? {
  let data = try NSKeyedArchiver.archivedData(withRootObject: object, requiringSecureCoding: true)
  return try NSKeyedUnarchiver.unarchivedObject(ofClass: Object.self, from: data)
}

/// What a class makes of an archive of its own that somebody else has written; nil where it takes it for damaged.
/// - Parameter bytes: in the place of the property list.
func forged<Object: NSObject & NSSecureCoding>(_ type: Object.Type, _ bytes: Data?) throws -> Object? {
  let name = NSStringFromClass(Object.self)
  let list =
    bytes.map { _ in "<key>URLLoading.propertyList</key><dict><key>CF$UID</key><integer>3</integer></dict>" } ?? ""
  let archive = """
    <?xml version="1.0" encoding="UTF-8"?>
    <plist version="1.0"><dict>
    <key>$archiver</key><string>NSKeyedArchiver</string><key>$version</key><integer>100000</integer>
    <key>$top</key><dict><key>root</key><dict><key>CF$UID</key><integer>1</integer></dict></dict>
    <key>$objects</key><array>
    <string>$null</string>
    <dict><key>$class</key><dict><key>CF$UID</key><integer>2</integer></dict>\(list)</dict>
    <dict><key>$classname</key><string>\(name)</string>
    <key>$classes</key><array><string>\(name)</string><string>NSObject</string></array></dict>
    <data>\((bytes ?? Data()).base64EncodedString())</data>
    </array></dict></plist>
    """
  return try? NSKeyedUnarchiver.unarchivedObject(ofClass: Object.self, from: Data(archive.utf8))
}

/// The same of a property list.
func forged<Object: NSObject & NSSecureCoding>(_ type: Object.Type, _ list: [String: Any]) throws -> Object? {
  try forged(type, PropertyListSerialization.data(fromPropertyList: list, format: .binary, options: 0))
}
