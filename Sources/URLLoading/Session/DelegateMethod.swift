/// The methods of the delegate protocols that have a default.
enum DelegateMethod: Int, CaseIterable {
  case sessionChallenge
  case created, redirect, challenge, bodyStream, sent, informational, metrics, completion
  case response, becameDownload, data
  case file, wrote, resumedAt
}
