import Foundation
import URLLoading

/// The validators of a member.
enum MemberVersion {
  /// Made from the archive's own validators and the member's checksum, or its position.
  static func validators(of entry: ArchiveEntry, in resource: RandomAccessResource) -> ResourceValidators {
    guard let archive = resource.validators.ifRangeValue else {
      return ResourceValidators(lastModified: entry.modificationDate, isLastModifiedStrong: false)
    }
    var hash = FNV1a()
    hash.add(archive.utf8)
    hash.add(entry.path)
    let size = entry.size.map { String($0, radix: 16) } ?? "-"
    let mark = entry.checksum.map { String($0, radix: 16) } ?? place(entry.location)
    return ResourceValidators(
      entityTag: "\"\(String(hash.value, radix: 16))-\(size)-\(mark)\"", lastModified: entry.modificationDate)
  }

  private static func place(_ location: ArchiveEntry.Location) -> String {
    switch location {
    case .plain(let position): "p\(String(position, radix: 16))"
    case .zip(let position, _, _, _): "z\(String(position, radix: 16))"
    case .ordinal(let number, _): "n\(String(number, radix: 16))"
    case .none: "-"
    }
  }
}
