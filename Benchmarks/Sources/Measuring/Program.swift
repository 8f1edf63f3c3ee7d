import Foundation

/// What all clients do at their end.
public enum Program {
  /// Runs a client's work; tells what it throws in one line, and ends the process.
  public static func run(_ body: @Sendable () async throws -> Void) async {
    do {
      try await body()
    } catch {
      // An error that is made elsewhere may have its only words here.
      let words = (error as NSError).userInfo[NSLocalizedDescriptionKey] as? String ?? "\(error)"
      FileHandle.standardError.write(Data("error: \(words)\n".utf8))
      exit(1)
    }
  }
}
