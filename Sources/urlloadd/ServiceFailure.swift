import Foundation

/// Why the service cannot run.
struct ServiceFailure: LocalizedError {
  let errorDescription: String?

  init(_ words: String, _ number: Int32) {
    errorDescription = "\(words): \(String(cString: strerror(number)))."
  }

  init(_ words: String) { errorDescription = words }
}
