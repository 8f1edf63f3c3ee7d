/// The methods of the delegate protocols that have a default.
enum DelegateMethod: Int, CaseIterable {
  case sessionChallenge
  case created, waiting, delayed, redirect, challenge, bodyStream, bodyStreamFromOffset, sent, informational
  case metrics, completion
  case response, becameDownload, data, cached
  case file, wrote, resumedAt
  case opened, closed
  case becameStream, readClosed, writeClosed, betterRoute, streams
}
