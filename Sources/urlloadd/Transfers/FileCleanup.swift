import Foundation
import URLLoading

/// Removes what a kill has left in the folder of files and no task names: at once the file of a task that is still there, which nobody else
/// knows of; anything else when it has not been written for a week.
enum FileCleanup {
  /// In seconds: a program may be about to make the task of a file, or have resume data that names one.
  private static let age = 7 * 86_400.0

  /// - Parameter tasks: the numbers of the tasks that are there.
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

  /// The largest number of a task whose download has left a file; 0 without any.
  static func largestNumber(in folder: String) -> Int { names(in: folder).compactMap { number(in: $0) }.max() ?? 0 }

  private static func names(in folder: String) -> [String] {
    (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
  }

  /// The number of the task that a download's file is named by; nil for one that leaves next to none for later tasks.
  private static func number(in name: String) -> Int? {
    guard let number = URLSessionTask.downloadLabel(in: name).flatMap({ Int($0) }), (1..<1 << 60).contains(number)
    else { return nil }
    return number
  }
}
