import Foundation
internal import URLLoadingBase

/// Files that options name.
enum LocalInput {
  /// What a file may have that is read into memory, in bytes: a device may have no end.
  private static let limit = 256 << 20

  /// All that a file has; `-` is standard input.
  /// - Parameter limit: how many bytes it may have at most.
  static func content(of path: String, limit: Int = limit) throws(Failure) -> Data {
    try withDescriptor(of: path) { descriptor throws(Failure) in try content(of: descriptor, path, limit: limit) }
  }

  /// Calls `use` with a descriptor to read a file from, which is valid until it returns; `-` is standard input.
  static func withDescriptor<Result>(
    of path: String, _ use: (Int32) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    // No path leads to where it stands, and none at all to a socket.
    if path == "-" { return try use(STDIN_FILENO) }
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw Failure(reading: path, errno) }
    defer { close(descriptor) }
    return try use(descriptor)
  }

  /// All that is to be read from a descriptor.
  static func content(of descriptor: Int32, _ path: String, limit: Int) throws(Failure) -> Data {
    var content = Data()
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      let count = DescriptorIO.uninterrupted { read(descriptor, &buffer, buffer.count) }
      guard count >= 0 else { throw Failure(reading: path, errno) }
      if count == 0 { return content }
      content += buffer.prefix(count)
      guard content.count <= limit else {
        throw Failure(.localFile, "the file has more than \(limit) bytes", path, advice: "give a smaller one")
      }
    }
  }

  /// The lines of a file, without their ends.
  static func lines(of path: String) throws(Failure) -> [String] {
    String(decoding: try content(of: path), as: UTF8.self).split(whereSeparator: \.isNewline).map { String($0) }
  }

  /// A folder of the user's that a variable may name.
  static func home() -> String {
    ProcessEnvironment.nonemptyValue(of: "HOME") ?? NSHomeDirectory()
  }
}
