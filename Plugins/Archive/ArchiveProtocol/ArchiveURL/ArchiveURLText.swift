import Foundation
internal import URLLoadingBase

/// The canonical text of an archive URL, built of its layers.
struct ArchiveURLText {
  /// The most archives inside one another that a URL may name, whatever a configuration allows: bounds the work on a text.
  static let maximumDepth = 64

  /// The URL of the outermost archive, which is in no other.
  private(set) var root: [UInt8]
  /// The archives, from the innermost, whose member is named, to the one at ``root``.
  private(set) var layers: [ArchiveLayer] = []

  init(_ text: String) throws(ArchiveURLError) {
    root = Array(text.utf8)
    repeat {
      guard layers.count < Self.maximumDepth else { throw .nestedTooDeep(text, limit: Self.maximumDepth) }
      let layer = try ArchiveLayer(root)
      layers.append(layer)
      root = layer.archive
    } while ArchiveLayer.isArchiveURL(root)
    root = try Self.valid(root, of: text)
  }

  /// The canonical URL, built from the outside to the inside.
  func text() -> String {
    String(decoding: layers.reversed().reduce(root) { Self.bytes(archive: $0, layer: $1) }, as: UTF8.self)
  }

  /// The archive and the member that are named.
  var member: ArchiveMember? {
    let archive = layers.dropFirst().reversed().reduce(root) { Self.bytes(archive: $0, layer: $1) }
    guard let layer = layers.first, let url = URL(string: String(decoding: archive, as: UTF8.self)) else { return nil }
    return ArchiveMember(archive: url, pathBytes: layer.member)
  }

  /// Puts a member after its archive's URL, which is canonical.
  static func bytes(archive: some Sequence<UInt8>, member: some Collection<UInt8>) -> [UInt8] {
    var text = Array("archive://".utf8)
    PercentEncoding.append(archive, to: &text)
    for segment in member.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false) {
      text.append(UInt8(ascii: "/"))
      // Unencoded, these would be removed as dot segments when the URL is resolved or standardized.
      if segment.elementsEqual(".".utf8) {
        text.append(contentsOf: "%2E".utf8)
      } else if segment.elementsEqual("..".utf8) {
        text.append(contentsOf: "%2E%2E".utf8)
      } else {
        PercentEncoding.append(segment, to: &text)
      }
    }
    return text
  }

  private static func bytes(archive: [UInt8], layer: ArchiveLayer) -> [UInt8] {
    bytes(archive: archive, member: layer.member) + layer.suffix
  }

  /// An archive's URL as it was typed, with all characters encoded that a URL may not have.
  private static func valid(_ root: [UInt8], of text: String) throws(ArchiveURLError) -> [UInt8] {
    let colon = (root.firstIndex(of: UInt8(ascii: ":")) ?? -1) + 1
    var end = colon
    // The authority is left to Foundation, which knows host names of other scripts and addresses in brackets.
    if root[colon...].starts(with: "//".utf8) {
      end += 2
      while end < root.count, !"/?#".utf8.contains(root[end]) { end += 1 }
    }
    let repaired = Array(root[..<end]) + PercentEncoding.repaired(root[end...])
    guard end < root.count || end > colon,
      let string = String(validating: repaired, as: UTF8.self), let url = URL(string: string)
    else { throw .invalidArchive(text, archive: String(decoding: root, as: UTF8.self)) }
    return Array(url.absoluteString.utf8)
  }
}
