/// A stream whose subclasses read from something else, and have no buffer to lend (`getBuffer`).
package class UnbufferedInputStream: InputStream {
  package init() {
    super.init(data: Data())
  }

  package override func getBuffer(
    _ buffer: UnsafeMutablePointer<UnsafeMutablePointer<UInt8>?>, length: UnsafeMutablePointer<Int>
  ) -> Bool { false }
}
