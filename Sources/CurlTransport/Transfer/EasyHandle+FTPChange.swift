internal import URLLoadingCCurl

/// Changes on an FTP server. libcurl sends the commands of a list when it has logged in, and goes on along the list after each reply, whatever
/// that is (`*`): the list gets the next command when the reply to the last one is here. libcurl takes no copy of the list.
///
/// The commands come in libcurl's state machine, which blocks nothing; those of CURLOPT_POSTQUOTE would block the loop.
extension EasyHandle {
  func beginChange(_ command: [UInt8]) {
    append("*", command)
    _ = ccurl_set_list(curl, CURLOPT_PREQUOTE, questionList)
  }

  func changeIsSent(_ line: UnsafeRawBufferPointer) {
    run.ftp?.change?.sent(line)
  }

  /// - Parameter line: the last of a reply.
  func continueChange(after line: UnsafeRawBufferPointer, of code: Int) {
    let text = ResponseHeadParser.trimmed(
      UnsafeRawBufferPointer(rebasing: line.prefix { $0 != 13 && $0 != 10 }.prefix(512)))
    let reply = FTPReply(code: code, text: ResponseHeadParser.string(text))
    guard run.ftp?.change?.take(reply) == true, let command = run.ftp?.change?.command else { return }
    append("*", command)
  }

  /// What counts is what the server has replied, and not how its connection ended then.
  func changeResult(_ change: FTPChangeSteps, _ code: CURLcode) -> CURLcode {
    switch change.outcome {
    case .done: return CURLE_OK
    case .refused(let refusal): run.failureReason = .refusedChange(refusal)
    case nil:
      guard code == CURLE_OK else { return code }
      run.failureReason = .refusedChange(.unfinished)
    }
    return CURLE_QUOTE_ERROR
  }

  /// A change whose reply did not come may have been made.
  func describeChange(_ failure: inout TransferFailure) {
    guard run.ftp?.change?.mayHaveChanged == true else { return }
    failure.message += "; nothing tells whether the server has done what it was asked for"
  }
}
