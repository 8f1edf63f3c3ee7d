internal import URLLoadingBase

/// What a transfer by FTP asks for, and what the server has replied.
// Loop thread only.
final class FTPExchange {
  /// What is transferred of the file; nil for all of it.
  let range: FTPRange?
  /// The range is to end where the file does, as the server sends it.
  let rangeReachesEnd: Bool
  var replies = FTPReplies()
  /// What is changed; nil for a transfer.
  var change: FTPChangeSteps?
  /// When the transfer has taken too long, whatever the server is asked.
  var deadline = MonotonicInstant.distantFuture

  init(for request: borrowing TransferRequest) {
    range = request.range.flatMap { FTPRange($0) }
    change = request.ftpChange.map { FTPChangeSteps($0) }
    rangeReachesEnd = request.rangeReachesEnd && range?.last != nil
  }

  var head: TransferHead { replies.head(range) }
}
