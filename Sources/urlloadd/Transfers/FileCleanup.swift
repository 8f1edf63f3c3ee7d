import Foundation

/// Removes what a kill has left in the folder of files: what no task names, and has not been written for a week.
enum FileCleanup {
  /// In seconds: a program may be about to make the task of a file, or have resume data that names one.
  private static let age = 7 * 86_400.0

  static func run(in folder: String, keeping named: Set<String>) {
    let oldest = Date().addingTimeInterval(-age)
    for name in (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? [] {
      let path = "\(folder)/\(name)"
      guard !named.contains(name),
        let date = (try? FileManager.default.attributesOfItem(atPath: path))?[.modificationDate] as? Date, date < oldest
      else { continue }
      unlink(path)
    }
  }
}
