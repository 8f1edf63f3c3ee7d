import Foundation
import URLLoading

/// Removes the files that a kill has left and no task names. Those of existing tasks are removed at once, since nobody else knows of them;
/// others a week after they were last written.
enum FileCleanup {
  /// In seconds: a program may be about to make the task of a file, or have resume data that names one.
  private static let age = 7 * 86_400.0

  /// - Parameter tasks: the numbers of the existing tasks.
  static func run(in folder: String, keeping named: Set<String>, tasks: Set<Int>) {
    let oldest = Date().addingTimeInterval(-age)
    for name in names(in: folder) where !named.contains(name) {
      let path = "\(folder)/\(name)"
      if let number = number(in: name), tasks.contains(number) {
        unlink(path)
        continue
      }
      guard let date = (try? FileManager.default.attributesOfItem(atPath: path))?[.modificationDate] as? Date,
        date < oldest
      else { continue }
      unlink(path)
    }
  }

  /// The largest number in the names of downloads' files; 0 without any.
  static func largestNumber(in folder: String) -> Int { names(in: folder).compactMap { number(in: $0) }.max() ?? 0 }

  private static func names(in folder: String) -> [String] {
    (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
  }

  /// The number of a task in the name of its download's file. Nil for one so large that few are left above it, which is not one of a task.
  private static func number(in name: String) -> Int? {
    guard let number = URLSessionTask.downloadLabel(in: name).flatMap({ Int($0) }), (1..<1 << 60).contains(number)
    else { return nil }
    return number
  }
}
