extension LoadOptions {
  /// Says what the user has switched off, each time, and what is done in another way than it was asked for.
  func warn(on console: Console) {
    if isInsecure {
      console.warning(
        "urlload: warning: -k accepts every certificate and host key: anybody may answer in the server's name")
    }
    if report.isVerbose, netrc?.isReadableByOthers == true {
      console.line("* others may read the netrc file: chmod 600 keeps it from them")
    }
    for note in notes { console.line("urlload: \(note)") }
  }
}
