import Foundation
internal import URLLoadingCArchive

/// A member's header from libarchive.
struct LibarchiveEntry {
  private let entry: OpaquePointer

  init(_ entry: OpaquePointer) {
    self.entry = entry
  }

  /// The name as the archive has it; nil where libarchive does not even give its bytes.
  var name: [UInt8]? {
    CharacterLocale.withUTF8 {
      bytes(archive_entry_pathname(entry)) ?? bytes(archive_entry_pathname_utf8(entry))
        ?? archive_entry_pathname_w(entry).map { name in
          let scalars = UnsafeRawPointer(name).assumingMemoryBound(to: UInt32.self)
          return Array(String(decodingCString: scalars, as: UTF32.self).utf8)
        }
    }
  }

  var kind: ArchiveEntry.Kind {
    CharacterLocale.withUTF8 {
      if let target = bytes(archive_entry_hardlink(entry)) ?? bytes(archive_entry_hardlink_utf8(entry)) {
        return .hardLink(to: ArchivePath.canonical(Array(target)))
      }
      switch archive_entry_filetype(entry) {
      case 0o040000: return .directory
      case 0o120000:
        return .symbolicLink(
          target: bytes(archive_entry_symlink(entry)) ?? bytes(archive_entry_symlink_utf8(entry)) ?? [])
      // 0 in formats without types.
      case 0o100000, 0: return .file
      case let type: return .other(ArchiveEntry.Special(mode: UInt32(type)))
      }
    }
  }

  var size: Int64? { archive_entry_size_is_set(entry) != 0 ? archive_entry_size(entry) : nil }

  var modificationDate: Date? {
    guard archive_entry_mtime_is_set(entry) != 0 else { return nil }
    return Date(
      timeIntervalSince1970: Double(archive_entry_mtime(entry)) + Double(archive_entry_mtime_nsec(entry)) / 1e9)
  }

  var isEncrypted: Bool { archive_entry_is_data_encrypted(entry) != 0 }

  /// Whether the archive leaves out zero bytes of the member.
  var isSparse: Bool { archive_entry_sparse_reset(entry) > 0 }

  private func bytes(_ text: UnsafePointer<CChar>?) -> [UInt8]? {
    guard let text else { return nil }
    return UnsafeRawBufferPointer(start: text, count: strlen(text)).map { $0 }
  }
}
