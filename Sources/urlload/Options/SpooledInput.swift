import Foundation
internal import URLLoadingBase

/// All of an input that has no length of its own, such as a pipe: a little in memory, more in a temporary file.
enum SpooledInput: Sendable {
  case bytes(Data)
  case file(SpoolFile, length: Int64)

  /// What is kept in memory, in bytes.
  static let memoryLimit = 1 << 20

  /// Reads to the end.
  /// - Parameter path: `-` is standard input.
  init(readingAllOf path: String) throws(Failure) {
    self = try LocalInput.withDescriptor(of: path) { descriptor throws(Failure) in try Self.read(descriptor, path) }
  }

  private static func read(_ descriptor: Int32, _ path: String) throws(Failure) -> SpooledInput {
    var content = Data()
    var spool: SpoolFile?
    var length: Int64 = 0
    var buffer = [UInt8](repeating: 0, count: 1 << 18)
    while true {
      let count = DescriptorIO.uninterrupted { Glibc.read(descriptor, &buffer, buffer.count) }
      guard count >= 0 else { throw Failure(reading: path, errno) }
      if count == 0 { break }
      if spool == nil, content.count + count > memoryLimit {
        let file = try makeFile()
        try write(content, to: file, at: 0)
        (spool, content) = (file, Data())
      }
      if let spool { try write(buffer[..<count], to: spool, at: length) } else { content += buffer[..<count] }
      length += Int64(count)
    }
    if let spool { return .file(spool, length: length) }
    return .bytes(content)
  }

  private static func makeFile() throws(Failure) -> SpoolFile {
    do throws(SpoolFile.Failure) {
      return try SpoolFile(directory: FileManager.default.temporaryDirectory.path)
    } catch {
      throw Failure(error)
    }
  }

  private static func write(_ bytes: some ContiguousBytes, to file: SpoolFile, at position: Int64) throws(Failure) {
    let failure = bytes.withUnsafeBytes { buffer -> SpoolFile.Failure? in
      do throws(SpoolFile.Failure) {
        try file.write(buffer, at: position)
        return nil
      } catch {
        return error
      }
    }
    if let failure { throw Failure(failure) }
  }
}

extension Failure {
  fileprivate init(_ failure: SpoolFile.Failure) {
    self.init(
      .localFile, failure.localizedDescription, advice: "make room there, or have TMPDIR name another directory")
  }
}
