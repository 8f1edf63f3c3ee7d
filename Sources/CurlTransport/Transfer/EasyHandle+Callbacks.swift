import Glibc
internal import URLLoadingBase
internal import URLLoadingCCurl

/// libcurl's callbacks. Each finds its handle in the context pointer and passes on what happened.
// The pointers are unretained: the multi handle keeps an easy handle for as long as libcurl may call.
extension EasyHandle {
  static func handle(_ context: UnsafeMutableRawPointer?) -> Unmanaged<EasyHandle>? {
    context.map { Unmanaged.fromOpaque($0) }
  }

  /// Sets the callbacks; a reset of the handle forgets them.
  func setCallbacks() {
    let context = UnsafeRawPointer(Unmanaged.passUnretained(self).toOpaque())
    set(CURLOPT_PRIVATE, context)
    set(CURLOPT_WRITEDATA, context)
    _ = ccurl_set_write(curl, CURLOPT_WRITEFUNCTION) { bytes, size, count, context in
      guard let handle = EasyHandle.handle(context) else { return 0 }
      let buffer = UnsafeRawBufferPointer(start: bytes, count: size * count)
      return handle._withUnsafeGuaranteedRef { $0.receive(body: buffer) }
    }
    collectedHead.pointee.context = Unmanaged.passUnretained(self).toOpaque()
    collectedHead.pointee.take = { context, bytes, count, fields in
      guard let handle = EasyHandle.handle(context) else { return 0 }
      let lines = UnsafeRawBufferPointer(start: bytes, count: count)
      return handle._withUnsafeGuaranteedRef { easy in
        fields > 0 ? easy.receive(fields: fields, in: lines) : easy.receive(headerLines: lines)
      }
    }
    set(CURLOPT_HEADERDATA, UnsafeRawPointer(collectedHead))
    _ = ccurl_set_write(curl, CURLOPT_HEADERFUNCTION, ccurl_head_collect)
    set(CURLOPT_PREREQDATA, context)
    _ = ccurl_set_prerequest(curl) { context, _, _, remotePort, localPort in
      let ports = PortPair(local: Int(localPort), remote: Int(remotePort))
      let begins = EasyHandle.handle(context)?._withUnsafeGuaranteedRef { $0.requestBegins(on: ports) }
      return begins == false ? CURL_PREREQFUNC_ABORT : CURL_PREREQFUNC_OK
    }
    set(CURLOPT_RESOLVER_START_DATA, context)
    _ = ccurl_set_resolver_start(curl) { _, _, context in
      EasyHandle.handle(context)?._withUnsafeGuaranteedRef { $0.leaveQueue() }
      return 0
    }
    setLogCallback()
    setSocketCallbacks(context)
  }

  /// Sets the callbacks of a request body.
  func setBodyCallbacks() {
    let context = UnsafeRawPointer(Unmanaged.passUnretained(self).toOpaque())
    set(CURLOPT_READDATA, context)
    _ = ccurl_set_read(curl) { bytes, size, count, context in
      guard let handle = EasyHandle.handle(context) else { return Int(CURL_READFUNC_ABORT) }
      let buffer = UnsafeMutableRawBufferPointer(start: bytes, count: size * count)
      return handle._withUnsafeGuaranteedRef { $0.provideBody(buffer) }
    }
    set(CURLOPT_SEEKDATA, context)
    _ = ccurl_set_seek(curl) { context, offset, origin in
      guard let handle = EasyHandle.handle(context), offset == 0, origin == SEEK_SET else { return CURL_SEEKFUNC_FAIL }
      return handle._withUnsafeGuaranteedRef { $0.rewindBody() } ? CURL_SEEKFUNC_OK : CURL_SEEKFUNC_FAIL
    }
    setProgressCallback()
  }

  /// Makes libcurl report how much it has sent.
  func setProgressCallback() {
    set(CURLOPT_XFERINFODATA, UnsafeRawPointer(Unmanaged.passUnretained(self).toOpaque()))
    _ = ccurl_set_progress(curl) { context, _, _, _, uploaded in
      EasyHandle.handle(context)?._withUnsafeGuaranteedRef { $0.progress(uploaded: Int64(uploaded)) }
      return 0
    }
    set(CURLOPT_NOPROGRESS, 0)
  }

  /// Gets what libcurl logs of HTTP, while it does: the heads of requests as they are sent, lines that it is about to evaluate, and what
  /// becomes of streams. Only its log has them.
  private func setLogCallback() {
    set(CURLOPT_DEBUGDATA, UnsafeRawPointer(Unmanaged.passUnretained(self).toOpaque()))
    _ = ccurl_set_debug(curl) { _, type, bytes, count, context in
      guard type == CURLINFO_HEADER_IN || type == CURLINFO_HEADER_OUT || type == CURLINFO_TEXT, let bytes,
        let handle = EasyHandle.handle(context)
      else { return 0 }
      let line = UnsafeMutableRawBufferPointer(start: bytes, count: count)
      handle._withUnsafeGuaranteedRef { easy in
        if type == CURLINFO_HEADER_IN {
          easy.willEvaluate(headerLine: line)
        } else if type == CURLINFO_TEXT {
          easy.logged(UnsafeRawBufferPointer(line))
        } else if easy.recordsRequestHeads {
          easy.run.sentHeads.append(contentsOf: line)
        }
      }
      return 0
    }
  }

  /// Has libcurl log while something is to be found in its log.
  func updateLogging() {
    let isLogged = firstField.isLogged || run.fate.isHeard
    set(CURLOPT_VERBOSE, recordsRequestHeads || isLogged ? 1 : 0)
  }
}
