import Foundation
import URLLoadingTestServers

/// What a failing disk, a lost write or a stranger does to the file of a stored body.
enum BodyDamage: String, CaseIterable {
  /// The file has its length, and zeros where a page was not written.
  case hole
  /// The file has its length, and elsewhere's bytes in a page.
  case oldPage
  case bit
  case shorter
  case longer
  case gone

  /// Whether the file has its length, so that only its bytes tell.
  var keepsLength: Bool { [.hole, .oldPage, .bit].contains(self) }

  /// Damages the one body that the store in a directory has in a file.
  /// - Parameter position: where, for kinds that keep the length; by default near the end.
  func apply(in directory: TemporaryDirectory, at position: Int? = nil) throws {
    let folder = directory.file("bodies")
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.path).filter { $0 != "swept" }
    guard let name = names.first, names.count == 1 else { throw CocoaError(.fileNoSuchFile) }
    let file = folder.appending(path: name)
    guard self != .gone else { return try FileManager.default.removeItem(at: file) }
    let handle = try FileHandle(forUpdating: file)
    defer { try? handle.close() }
    let length = try handle.seekToEnd()
    let start = position.map { UInt64($0) } ?? length - 5000
    switch self {
    case .hole: try overwrite(handle, at: start, Data(count: 4096))
    case .oldPage:
      try handle.seek(toOffset: 0)
      try overwrite(handle, at: start, try handle.read(upToCount: 4096) ?? Data())
    case .bit:
      try handle.seek(toOffset: start)
      let byte = try handle.read(upToCount: 1)?.first ?? 0
      try overwrite(handle, at: start, Data([byte ^ 1]))
    case .shorter: try handle.truncate(atOffset: length - 1)
    case .longer: try handle.truncate(atOffset: length + 1)
    case .gone: break
    }
  }

  private func overwrite(_ handle: FileHandle, at start: UInt64, _ bytes: Data) throws {
    try handle.seek(toOffset: start)
    try handle.write(contentsOf: bytes)
  }
}
