import Foundation
import URLLoading

/// Part files as they are written. At each moment the end of one is a record, whatever ends the process.
extension PartFile {
  /// Bytes between what is loaded and the record after it, while a load runs.
  static let room: Int64 = 16 << 20

  /// The record as it stands at the end of a part file: JSON, its length, the mark.
  private static func trailer(_ record: Record, count: Int64) -> Data {
    var record = record
    record.count = count
    let text = (try? JSONEncoder().encode(record)) ?? Data()
    var trailer = text
    for shift in stride(from: 56, through: 0, by: -8) { trailer.append(UInt8(truncatingIfNeeded: text.count >> shift)) }
    return trailer + mark
  }

  /// Writes a record somewhere after the bytes; what is between means nothing.
  static func write(_ record: Record, count: Int64, at position: Int64, to descriptor: Int32) throws(Failure) {
    try DescriptorWriter.write(trailer(record, count: count), to: descriptor, at: position, "a part file")
  }

  /// Ends a part file with a record. Where there is no room left for it, it takes that of the last bytes.
  /// - Parameter recordStart: where a record stands already; nil for none.
  /// - Returns: how many bytes of the resource are kept; nil for none.
  @discardableResult
  static func close(_ descriptor: Int32, with record: Record, count: Int64, recordStart: Int64? = nil) -> Int64? {
    let trailer = trailer(record, count: count)
    let length = Int64(trailer.count)
    if let recordStart, count + length > recordStart {
      // It would be written over the other: first it is put after that.
      let end = lseek(descriptor, 0, SEEK_END)
      if end >= 0 { try? DescriptorWriter.write(trailer, to: descriptor, at: Int64(end), "a part file") }
    } else if recordStart == nil {
      ftruncate(descriptor, off_t(count))
    }
    if (try? DescriptorWriter.write(trailer, to: descriptor, at: count, "a part file")) != nil,
      ftruncate(descriptor, off_t(count + length)) == 0
    {
      return count
    }
    let less = count - length
    guard less > 0 else { return nil }
    let shorter = Self.trailer(record, count: less)
    guard (try? DescriptorWriter.write(shorter, to: descriptor, at: less, "a part file")) != nil,
      ftruncate(descriptor, off_t(less) + off_t(shorter.count)) == 0
    else { return nil }
    return less
  }

  /// Gives a part its name: that of a shorter one of the same URL, else one that is free.
  /// - Returns: its path; nil where it has none.
  static func place(_ partial: String, _ record: Record, count: Int64, named name: String, in directory: String)
    -> String?
  {
    for path in paths(named: name, in: directory) {
      let other = PartFile(path: path)
      let replaces = other.map { $0.record.hasOrigin(of: record) && $0.count < count && !isInUse(path) } ?? false
      do throws(Failure) {
        if try PartialFiles.rename(partial, to: path, replaces: replaces) { return path }
      } catch {
        return nil
      }
    }
    return nil
  }

  /// Removes the parts that are part of nothing any more, because the whole is there.
  static func removeParts(of record: Record, named name: String, in directory: String) {
    for part in all(named: name, in: directory) where part.record.hasOrigin(of: record) && !isInUse(part.path) {
      unlink(part.path)
    }
  }

  /// Whether another process resumes this file.
  private static func isInUse(_ path: String) -> Bool {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
    guard descriptor >= 0 else { return false }
    defer { Glibc.close(descriptor) }
    // Some file systems have no locks.
    return flock(descriptor, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK
  }
}
