/// The methods of the delegate protocols that a library's default stands in for.
enum DelegateMethod: UInt32 {
  case sessionChallenge
  case created, redirect, challenge, bodyStream, sent, informational, metrics, completion
  case response, becameDownload, data
  case file, wrote, resumedAt
}
