import URLLoading

/// Where a load begins: at the resource's first byte, or after what is there already (`-C`).
struct StartingPoint {
  private enum Place {
    case start
    /// Behind so many bytes of the file that is there.
    case offset(Int64)
    case part(PartFile, Resumption)
    /// At the start, because what is there cannot be resumed.
    case restart(String)
  }

  private let place: Place
  private let output: any Output
  private let url: URL

  /// Looks at what there is, and changes nothing.
  init(_ continuation: LoadOptions.Continuation, _ output: any Output, _ url: URL) throws(Failure) {
    (self.output, self.url) = (output, url)
    guard let file = output as? FileOutput else {
      if case .none = continuation {
        place = .start
        return
      }
      if case .offset(let count) = continuation {
        throw Failure(
          .usage, "-C \(count) needs a file to continue", SafeText.url(url),
          advice: "name one with -o FILE, in a directory where you may write")
      }
      throw Failure(
        .usage, "-C - needs a file to continue", SafeText.url(url),
        advice: "name it with -o FILE or -O, or give a number")
    }
    switch continuation {
    case .none: place = .start
    case .offset(let count): place = try Self.offset(count, in: file)
    case .part:
      let part = file.part(of: url)
      if let part, part.record.isOf(url), let known = part.record.resumption {
        place = .part(part, known)
      } else {
        place = Self.obstacle(part, file, url).map { .restart($0) } ?? .start
      }
    }
  }

  private static func offset(_ count: Int64, in file: FileOutput) throws(Failure) -> Place {
    guard let path = file.path else {
      throw Failure(.usage, "-C \(count) needs the name of the file", advice: "give it with -o FILE")
    }
    guard count > 0 else { return .start }
    var status = stat()
    guard stat(path, &status) == 0 else { throw Failure(reading: path, errno) }
    guard Int64(status.st_size) >= count else {
      throw Failure(
        .usage, "the file has only \(status.st_size) bytes, less than -C \(count)", path,
        advice: "give the number of bytes that are right in it")
    }
    return .offset(count)
  }

  /// Has the output take what is there, and says where that cannot be.
  /// - Returns: what the output has; nil for nothing.
  func take(_ console: Console) throws(Failure) -> Resumption? {
    switch place {
    case .start: return nil
    case .offset(let count):
      try (output as? FileOutput)?.copyBeginning(count)
      return Resumption(start: 0, last: nil, completeLength: nil, validators: ResourceValidators())
    case .part(let part, _) where PartialFiles.shared.contains(part.path):
      console.line("urlload: restarts, \(SafeText.url(url)): \(part.path) is being resumed already")
      return nil
    case .part(let part, let known):
      try (output as? FileOutput)?.adopt(part)
      return known
    case .restart(let reason):
      console.line("urlload: restarts, \(SafeText.url(url)): \(reason)")
      return nil
    }
  }

  /// Why what is there is no beginning; nil where nothing is there.
  private static func obstacle(_ part: PartFile?, _ file: FileOutput, _ url: URL) -> String? {
    if let part {
      return part.record.isOf(url)
        ? "\(part.path) has no validator, by which the resource could be known again"
        : "\(part.path) is of another URL, \(part.record.shownURL)"
    }
    guard let name = file.name, file.exists else { return nil }
    return "\(name) has no part file \(name)\(PartFile.suffix), and nothing says which version it is of"
  }
}
