import URLLoadingCBrotliEncoder
import URLLoadingCZlib
import URLLoadingCZstd

/// Bytes as servers code them.
enum Encoding: String, CaseIterable {
  case gzip
  /// What `deflate` means.
  case zlib
  /// What some servers send in its place.
  case rawDeflate
  case brotli
  case zstd

  /// The name in Content-Encoding.
  var name: String {
    switch self {
    case .gzip: "gzip"
    case .zlib, .rawDeflate: "deflate"
    case .brotli: "br"
    case .zstd: "zstd"
    }
  }

  /// The format has a checksum of the content.
  var hasChecksum: Bool { self == .gzip || self == .zlib || self == .zstd }

  /// - Parameter repetitions: how often `bytes` are in what is coded.
  func encode(_ bytes: [UInt8], repetitions: Int = 1) -> [UInt8] {
    switch self {
    case .gzip: Self.deflate(bytes, repetitions, windowBits: MAX_WBITS + 16)
    case .zlib: Self.deflate(bytes, repetitions, windowBits: MAX_WBITS)
    case .rawDeflate: Self.deflate(bytes, repetitions, windowBits: -MAX_WBITS)
    case .brotli: Self.brotli(bytes, repetitions)
    case .zstd: Self.zstd(bytes, repetitions)
    }
  }

  private static func deflate(_ bytes: [UInt8], _ repetitions: Int, windowBits: Int32) -> [UInt8] {
    let stream = UnsafeMutablePointer<z_stream>.allocate(capacity: 1)
    defer { stream.deallocate() }
    stream.initialize(to: z_stream())
    deflateInit2_(
      stream, 6, Z_DEFLATED, windowBits, 8, Z_DEFAULT_STRATEGY, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size))
    defer { deflateEnd(stream) }
    return collect(bytes, repetitions) { input, isLast, output in
      stream.pointee.next_in = UnsafeMutablePointer(mutating: input.bindMemory(to: UInt8.self).baseAddress)
      stream.pointee.avail_in = UInt32(input.count)
      stream.pointee.next_out = output.bindMemory(to: UInt8.self).baseAddress
      stream.pointee.avail_out = UInt32(output.count)
      let result = URLLoadingCZlib.deflate(stream, isLast ? Z_FINISH : Z_NO_FLUSH)
      let left = stream.pointee
      return (
        input.count - Int(left.avail_in), output.count - Int(left.avail_out),
        isLast ? result == Z_STREAM_END : left.avail_in == 0
      )
    }
  }

  private static func brotli(_ bytes: [UInt8], _ repetitions: Int) -> [UInt8] {
    let state = BrotliEncoderCreateInstance(nil, nil, nil)
    defer { BrotliEncoderDestroyInstance(state) }
    BrotliEncoderSetParameter(state, BROTLI_PARAM_QUALITY, 4)
    return collect(bytes, repetitions) { input, isLast, output in
      var available = input.count
      var room = output.count
      var source = input.bindMemory(to: UInt8.self).baseAddress
      var target = output.bindMemory(to: UInt8.self).baseAddress
      let operation = isLast ? BROTLI_OPERATION_FINISH : BROTLI_OPERATION_PROCESS
      BrotliEncoderCompressStream(state, operation, &available, &source, &room, &target, nil)
      let isDone = isLast ? BrotliEncoderIsFinished(state) != 0 : available == 0
      return (input.count - available, output.count - room, isDone)
    }
  }

  /// - Parameter windowLog: 0 for the encoder's choice.
  static func zstd(_ bytes: [UInt8], _ repetitions: Int, windowLog: Int32 = 0) -> [UInt8] {
    let context = ZSTD_createCCtx()
    defer { ZSTD_freeCCtx(context) }
    ZSTD_CCtx_setParameter(context, ZSTD_c_checksumFlag, 1)
    ZSTD_CCtx_setParameter(context, ZSTD_c_windowLog, windowLog)
    return collect(bytes, repetitions) { input, isLast, output in
      var source = ZSTD_inBuffer(src: input.baseAddress, size: input.count, pos: 0)
      var target = ZSTD_outBuffer(dst: output.baseAddress, size: output.count, pos: 0)
      let left = ZSTD_compressStream2(context, &target, &source, isLast ? ZSTD_e_end : ZSTD_e_continue)
      return (source.pos, target.pos, isLast ? left == 0 : source.pos == source.size)
    }
  }

  /// Runs an encoder until it is done with everything.
  private static func collect(
    _ bytes: [UInt8], _ repetitions: Int,
    _ step: (_ input: UnsafeRawBufferPointer, _ isLast: Bool, _ output: UnsafeMutableRawBufferPointer) -> (
      consumed: Int, produced: Int, isDone: Bool
    )
  ) -> [UInt8] {
    var result: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    bytes.withUnsafeBytes { bytes in
      buffer.withUnsafeMutableBytes { buffer in
        for repetition in 0..<repetitions {
          var rest = bytes[...]
          while true {
            let part = step(UnsafeRawBufferPointer(rebasing: rest), repetition == repetitions - 1, buffer)
            result += buffer[..<part.produced]
            rest = rest[(rest.startIndex + part.consumed)...]
            if part.isDone { break }
          }
        }
      }
    }
    return result
  }
}
