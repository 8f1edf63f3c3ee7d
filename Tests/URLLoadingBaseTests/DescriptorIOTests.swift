import Foundation
import Testing
import URLLoadingTestServers

@testable import URLLoadingBase

struct DescriptorIOTests {
  @Test func aCallIsRepeatedWhileSignalsInterruptIt() {
    var calls = 0
    let result = DescriptorIO.uninterrupted {
      calls += 1
      errno = calls < 3 ? EINTR : EAGAIN
      return -1
    }
    #expect(result == -1 && calls == 3)
    #expect(DescriptorIO.uninterrupted { 7 } == 7)
  }

  @Test func positionsAreThoseOfTheFile() throws {
    let folder = try TemporaryDirectory("descriptor")
    let file = try folder.write("a", "0123456789")
    let descriptor = open(file.path, O_RDWR | O_CLOEXEC)
    defer { close(descriptor) }
    let isWritten = Data("xy".utf8).withUnsafeBytes { DescriptorIO.write($0, to: descriptor, at: 3) }
    #expect(isWritten)
    // Without a position it is the descriptor's, which the writing before has not moved.
    let isWrittenAtStart = Data("ab".utf8).withUnsafeBytes { DescriptorIO.write($0, to: descriptor) }
    #expect(isWrittenAtStart)
    var bytes = [UInt8](repeating: 0, count: 20)
    let count = bytes.withUnsafeMutableBytes { DescriptorIO.read(into: $0, from: descriptor, at: 1) }
    #expect(count == 9 && String(decoding: bytes[..<9], as: UTF8.self) == "b2xy56789")
  }

  @Test func whetherAPathStillLeadsToAnOpenFile() throws {
    let folder = try TemporaryDirectory("descriptor")
    let (path, other) = (try folder.write("a", "x").path, folder.file("b").path)
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    defer { close(descriptor) }
    #expect(DescriptorIO.isFile(descriptor, at: path) && !DescriptorIO.isFile(-1, at: path))
    #expect(rename(path, other) == 0)
    #expect(DescriptorIO.isFile(descriptor, at: other) && !DescriptorIO.isFile(descriptor, at: path))
    #expect(symlink(other, path) == 0)
    #expect(!DescriptorIO.isFile(descriptor, at: path))
    try folder.write("c", "x")
    #expect(rename(folder.file("c").path, other) == 0)
    #expect(!DescriptorIO.isFile(descriptor, at: other))
  }

  @Test func aFailureIsReported() {
    let isWritten = Data("x".utf8).withUnsafeBytes { DescriptorIO.write($0, to: -1) }
    let code = errno
    #expect(!isWritten && code == EBADF)
    var bytes = [UInt8](repeating: 0, count: 1)
    let count = bytes.withUnsafeMutableBytes { DescriptorIO.read(into: $0, from: -1, at: 0) }
    #expect(count == -1)
    #expect(Data().withUnsafeBytes { DescriptorIO.write($0, to: -1) })
  }
}
