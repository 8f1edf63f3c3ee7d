import Foundation

/// Prints a line at once, for tests that read along.
func say(_ line: String) {
  FileHandle.standardOutput.write(Data("\(line)\n".utf8))
}
