import URLLoading

/// Where a load begins: at the resource's first byte, or behind what is there already (`-C`).
struct Beginning {
  /// What the output has; nil for nothing.
  let resumption: Resumption?

  /// Has the output take what is there, and says where nothing can be gone on with.
  init(
    _ continuation: LoadOptions.Continuation, _ output: any Output, _ url: URL, _ console: Console
  ) throws(Failure) {
    guard let file = output as? FileOutput else {
      if case .part = continuation {
        throw Failure(
          .usage, "-C - needs a file to continue", SafeText.url(url),
          advice: "name it with -o FILE or -O, or give a number")
      }
      resumption = nil
      return
    }
    switch continuation {
    case .none: resumption = nil
    case .offset(let count):
      guard file.name != nil else {
        throw Failure(
          .usage, "-C \(count) needs the name of the file", SafeText.url(url), advice: "give it with -o FILE")
      }
      if count > 0 { try file.copyBeginning(count) }
      resumption =
        count > 0
        ? Resumption(start: 0, last: nil, completeLength: nil, validators: ResourceValidators()) : nil
    case .part:
      let part = file.part(of: url)
      if let part, part.record.isOf(url), let known = part.record.resumption {
        try file.adopt(part)
        resumption = known
        return
      }
      resumption = nil
      if let reason = Self.obstacle(part, file, url) {
        console.line("urlload: begins again, \(SafeText.url(url)): \(reason)")
      }
    }
  }

  /// Why what is there is no beginning; nil where nothing is there.
  private static func obstacle(_ part: PartFile?, _ file: FileOutput, _ url: URL) -> String? {
    if let part {
      return part.record.isOf(url)
        ? "\(part.path) has no validator, by which the resource could be known again"
        : "\(part.path) is of another URL, \(part.record.url)"
    }
    guard let name = file.name, file.exists else { return nil }
    return "\(name) has no part file \(name)\(PartFile.suffix), and nothing says which version it is of"
  }
}
