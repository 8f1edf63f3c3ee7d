import Foundation
internal import URLLoadingCOpenSSL

/// The encoding that OpenSSL's `i2d` functions write.
enum DER {
  /// - Parameter write: one of these functions: moves the pointer past what it wrote, or says the length where there is no pointer.
  static func encoding(_ write: (UnsafeMutablePointer<UnsafeMutablePointer<UInt8>?>?) -> Int32) -> Data? {
    let length = write(nil)
    guard length > 0 else { return nil }
    var bytes = [UInt8](repeating: 0, count: Int(length))
    let written = bytes.withUnsafeMutableBufferPointer { buffer in
      var position = buffer.baseAddress
      return write(&position)
    }
    return written == length ? Data(bytes) : nil
  }
}
