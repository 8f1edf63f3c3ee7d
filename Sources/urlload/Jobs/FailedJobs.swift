import Foundation
internal import URLLoadingBase

/// The background loads that have failed, until `jobs forget`: the service forgets what has ended.
struct FailedJobs {
  /// One of them.
  struct Job: Codable, Equatable {
    /// Without what may be secret.
    let url: String
    let failure: String
  }

  /// The folder of the list, and of files that could not come to their places.
  private let folder: String?

  init(environment: [String: String] = ProcessInfo.processInfo.environment) {
    folder = ProgramDirectories(environment: environment, program: "urlload").own(.state)
  }

  private var path: String? { folder.map { "\($0)/failed-jobs" } }

  var all: [Job] {
    guard let path, let content = try? Data(contentsOf: URL(fileURLWithPath: path)) else { return [] }
    return content.split(separator: 0x0A).compactMap { try? JSONDecoder().decode(Job.self, from: $0) }
  }

  func add(_ job: Job) {
    guard let path, makeFolder() != nil, var line = try? JSONEncoder().encode(job) else { return }
    line.append(0x0A)
    // Two processes may write at a time: each line comes in one piece.
    let descriptor = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard descriptor >= 0 else { return }
    defer { close(descriptor) }
    try? DescriptorWriter.write(line, to: descriptor, path)
  }

  func forget() { if let path { unlink(path) } }

  /// Keeps a file that cannot come to its place.
  /// - Returns: where it is; nil where it cannot be kept either.
  func keep(_ file: URL, name: String?) -> String? {
    guard let folder = makeFolder() else { return nil }
    var place = BackgroundPlace(path: folder, isFolder: true)
    place.mode = 0o600
    return try? place.take(file, name: name)
  }

  private func makeFolder() -> String? {
    guard let folder else { return nil }
    try? FileManager.default.createDirectory(
      atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    return folder
  }
}
