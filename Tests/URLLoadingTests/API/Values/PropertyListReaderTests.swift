import Foundation
import Testing
import URLLoadingTestServers

@testable import URLLoading

@Suite struct PropertyListReaderTests {
  /// A binary list of objects with one-byte offsets and references; the first object is the top one.
  private func binary(_ objects: [[UInt8]], count: Int? = nil, top: Int = 0) -> Data {
    var bytes = Array("bplist00".utf8)
    var offsets: [UInt8] = []
    for object in objects {
      offsets.append(UInt8(truncatingIfNeeded: bytes.count))
      bytes += object
    }
    let table = bytes.count
    bytes += offsets + [0, 0, 0, 0, 0, 0, 1, 1]
    for number in [count ?? objects.count, top, table] {
      bytes += (0..<8).reversed().map { UInt8(truncatingIfNeeded: number >> ($0 * 8)) }
    }
    return Data(bytes)
  }

  private let key: [UInt8] = [0x51, 0x61]

  @Test func theBuilderBuildsWhatFoundationReads() {
    let read = PropertyListReader.dictionary(from: binary([[0xD1, 1, 2], key, [0x51, 0x62]]))
    #expect(read as? [String: String] == ["a": "b"])
  }

  /// Foundation crashes on this one.
  @Test func setsAreRefused() {
    #expect(PropertyListReader.dictionary(from: binary([[0xD1, 1, 2], key, [0xC1, 3], [0x51, 0x62]])) == nil)
    #expect(PropertyListReader.dictionary(from: binary([[0xD1, 1, 2], key, [0xA1, 3], [0xC0]])) == nil)
  }

  @Test func otherOddities() {
    let odd: [Data] = [
      binary([[0xD1, 1, 2], key, [0x80, 1]]), binary([[0xD1, 1, 2], [0x10, 1], key]), binary([[0xD1, 1, 9], key]),
      binary([[0xD1, 1, 0], key]), binary([[0xA1, 1], [0xA1, 0]]), binary([[0xD1, 1, 2], key], count: .max),
      binary([[0xD1, 1, 1], key], top: 7),
      binary([[0xD1, 1, 2], key, [0x5F, 0x13, 255, 255, 255, 255, 255, 255, 255, 255]]),
      binary([[0xD1, 1, 2], key, [0x6F, 0x13, 127, 255, 255, 255, 255, 255, 255, 255]]),
      binary([[0xD1, 1, 2], key, [0x4F, 0x11, 255]]),
      binary([[0xDF, 0x13, 127, 255, 255, 255, 255, 255, 255, 255]]), binary([]), Data("bplist00".utf8), Data(),
      Data([0]),
    ]
    for data in odd {
      #expect(PropertyListReader.dictionary(from: data) == nil)
    }
  }

  /// Forty objects that stand for a million million when each reference is followed.
  @Test func sharedObjectsDoNotUnfoldWithoutEnd() {
    let levels = (0..<40).map { [0xA2, UInt8($0 + 3), UInt8($0 + 3)] }
    #expect(PropertyListReader.dictionary(from: binary([[0xD1, 1, 2], key] + levels + [key])) == nil)
    #expect(
      PropertyListReader.dictionary(from: binary([[0xD1, 1, 2], key] + levels.suffix(0) + [[0xA2, 1, 1]])) != nil)
  }

  @Test func deepNestingIsRefused() {
    let chain = (0..<100).map { [0xA1, UInt8($0 + 3)] }
    #expect(PropertyListReader.dictionary(from: binary([[0xD1, 1, 2], key] + chain + [key])) == nil)
  }

  private func sample() throws -> [String: Any] {
    [
      "string": "text", "unicode": "é日本", "long": String(repeating: "x", count: 5000),
      "data": Data(repeating: 7, count: 300),
      "true": true, "int": -5, "big": Int64.max, "real": 1.5, "date": Date(timeIntervalSinceReferenceDate: 5),
      "list": Array(0..<400), "nested": ["a": ["b": ["c"]]], "empty": [String](),
    ]
  }

  @Test(arguments: [PropertyListSerialization.PropertyListFormat.binary, .xml])
  func ordinaryListsAreRead(format: PropertyListSerialization.PropertyListFormat) throws {
    let list = try sample()
    let data = try PropertyListSerialization.data(fromPropertyList: list, format: format, options: 0)
    let read = try #require(PropertyListReader.dictionary(from: data))
    #expect(NSDictionary(dictionary: read) == NSDictionary(dictionary: list))
  }

  @Test func noiseNeverTraps() throws {
    var random = SeededGenerator(seed: 9)
    let lists: [[String: Any]] = [["a": ["b": 1, "c": [1, 2]], "d": "e"], ["x": [["y": Data([1])], ["z": true]]]]
    for list in lists {
      let valid = try PropertyListSerialization.data(fromPropertyList: list, format: .binary, options: 0)
      for _ in 0..<3000 {
        var data = valid
        for _ in 0..<Int.random(in: 1...4, using: &random) {
          data[Int.random(in: 0..<data.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
        }
        _ = PropertyListReader.dictionary(from: data)
      }
    }
  }
}
