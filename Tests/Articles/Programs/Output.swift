import Foundation
import Synchronization

/// Compares what a block prints with what its article says that it prints.
enum Output {
  struct Difference: Error, CustomStringConvertible {
    let line: Int
    let expected: String
    let printed: String

    var description: String { "line \(line) prints\n\(printed)\nand not\n\(expected)" }
  }

  private static let saved = Mutex<(output: Int32, file: Int32)?>(nil)

  /// Whether output is collected that nobody has compared yet.
  static var isOpen: Bool { saved.withLock { $0 != nil } }

  /// Collects what is printed from now on.
  static func begin() {
    fflush(nil)
    saved.withLock { saved in
      let file = memfd()
      saved = (dup(STDOUT_FILENO), file)
      dup2(file, STDOUT_FILENO)
    }
  }

  static func end(_ expected: String, line: Int) throws {
    fflush(nil)
    guard let file = saved.withLock({ $0?.file }) else { return }
    lseek(file, 0, SEEK_SET)
    let data = try FileHandle(fileDescriptor: file, closeOnDealloc: false).readToEnd() ?? Data()
    restore()
    let printed = String(decoding: data, as: UTF8.self).trimmingCharacters(in: .newlines)
    guard printed == expected else { throw Difference(line: line, expected: expected, printed: printed) }
  }

  static func restore() {
    fflush(nil)
    saved.withLock { saved in
      guard let (output, file) = saved else { return }
      dup2(output, STDOUT_FILENO)
      close(output)
      close(file)
      saved = nil
    }
  }

  /// A file without a name.
  private static func memfd() -> Int32 {
    var template = Array("/tmp/article-output-XXXXXX".utf8CString)
    let file = mkstemp(&template)
    unlink(template)
    return file
  }
}
