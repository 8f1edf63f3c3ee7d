/// Reading any part of a resource.
extension URLSession {
  /// Opens a resource to read any part of it. See ``randomAccess(to:options:delegate:)-(URLRequest,_,_)``.
  public func randomAccess(
    to url: URL, options: RandomAccessOptions = RandomAccessOptions(),
    delegate: (any URLSessionTaskDelegate)? = nil
  ) async throws -> RandomAccessResource {
    try await randomAccess(to: URLRequest(url: url), options: options, delegate: delegate)
  }

  /// Opens a resource to read any part of it, whatever its scheme.
  ///
  /// The first request asks for a range, and its response has the length, so no other request precedes the first read.
  /// If the server supports ranges, blocks are loaded on demand. If not, the first response is the whole resource,
  /// which is stored in an unnamed temporary file; a server that refuses the range (status 400, 416 or 501) is asked for the
  /// whole. A local file is read in place, without requests, if the session would load it with the built-in class.
  ///
  /// Positions refer to the resource without a content coding, so requests ask for `identity`. If the server has only a
  /// coded form, the whole resource is loaded and decoded.
  ///
  /// - Parameters:
  ///   - request: what to read, by GET. Its header fields are those of every request; `Range`, `If-Range` and
  ///     `Accept-Encoding` are set anew.
  ///   - options: sizes and limits.
  ///   - delegate: asked first about redirects, challenges and so on; the session's for what it lacks.
  /// - Throws: `URLError` as a rule, with the URL in `failingURL`: `fileDoesNotExist`, `fileIsDirectory`,
  ///   `noPermissionsToReadFile`, `userAuthenticationRequired` and `badServerResponse` also for HTTP's statuses;
  ///   `dataLengthExceedsMaximum` for a limit; what a protocol class failed with.
  public func randomAccess(
    to request: URLRequest, options: RandomAccessOptions = RandomAccessOptions(),
    delegate: (any URLSessionTaskDelegate)? = nil
  ) async throws -> RandomAccessResource {
    guard let url = request.url else { throw URLError(.badURL, message: "The request has no URL.", url: nil) }
    guard request.httpMethod == "GET" else {
      throw URLError(
        .badURL,
        message:
          "Random access is by GET, not by \(request.httpMethod ?? "").", url: url)
    }
    let requests = RangeRequests(
      session: self, template: request, delegate: delegate, waitsForConnectivity: options.waitsForConnectivity)
    if url.isFileURL, let file = try await localFile(url, requests) {
      let version = ResourceVersion(url: file.url, length: file.length, validators: file.validators)
      return RandomAccessResource(source: file, version: version, kind: .file, mimeType: file.mimeType)
    }
    let (source, response) = try await open(url, requests, options)
    let version = ResourceVersion(
      url: source.url, length: source.length, validators: response?.validators ?? ResourceValidators())
    return RandomAccessResource(
      source: source, version: version, kind: source is RangedSource ? .ranges : .whole, mimeType: response?.mimeType)
  }

  private func open(
    _ url: URL, _ requests: RangeRequests, _ options: RandomAccessOptions
  ) async throws -> (any RandomAccessSource, URLResponse?) {
    func answer(to range: ByteRange?) async throws -> (any RandomAccessSource, URLResponse?) {
      let opening = OpeningLoad(requests, url: url, options: options, range: range)
      return (try await opening.open(), opening.response)
    }
    var ranges = [options.effectiveFirstRange]
    // Some servers have ranges, but none of the last bytes.
    if case .suffix = options.firstRange { ranges.append(RandomAccessOptions.beginning(like: options)) }
    for range in ranges {
      do {
        return try await answer(to: range)
      } catch is OpeningLoad.CodedPart {
        break
      } catch is OpeningLoad.RefusedRange {}
    }
    return try await answer(to: nil)
  }

  /// The file that a `file:` URL names; nil when it is not the built-in class that loads it here, or it has no positions.
  private func localFile(_ url: URL, _ requests: RangeRequests) async throws -> LocalFileSource? {
    guard acceptsTasks else { throw invalidity(for: requests.template) }
    let configured = values.protocolClasses
    // User-provided classes are asked whether they load the request, and opening waits for a disk.
    return try await BlockingPool.protocols.perform {
      let task = URLSessionDataTask(
        load: self.load(LoadPlan(request: requests.template, kind: .bytes, owner: .reader)))
      guard ProtocolRegistry.shared.protocolClass(for: task, configured: configured) == FileProtocol.self else {
        return nil
      }
      return try LocalFileSource(url)
    }
  }
}
