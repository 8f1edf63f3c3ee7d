import Foundation

/// How a program tells the transfer service, which may be of another version: what is missing has its default, and names of formats that
/// are unknown here say nothing. A limit that cannot be read is an error.
extension ArchiveConfiguration: Codable {
  private enum CodingKeys: String, CodingKey {
    case optionalFormats, maximumExpansionRatio, freelyExpandedBytes, maximumMemberSize, maximumMembers
    case maximumIndexBytes, maximumNestingDepth, maximumSpooledBytes, indexDirectory, temporaryDirectory
  }

  /// Decodes the present keys; missing ones have their defaults.
  public init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: CodingKeys.self)
    self.init()
    func read<Value: Decodable>(_ key: CodingKeys, or standard: Value) throws -> Value {
      try values.decodeIfPresent(Value.self, forKey: key) ?? standard
    }
    optionalFormats = Set(try read(.optionalFormats, or: [String]()).compactMap { OptionalFormat(rawValue: $0) })
    maximumExpansionRatio = try read(.maximumExpansionRatio, or: maximumExpansionRatio)
    freelyExpandedBytes = try read(.freelyExpandedBytes, or: freelyExpandedBytes)
    maximumMemberSize = try read(.maximumMemberSize, or: maximumMemberSize)
    maximumMembers = try read(.maximumMembers, or: maximumMembers)
    maximumIndexBytes = try read(.maximumIndexBytes, or: maximumIndexBytes)
    maximumNestingDepth = try read(.maximumNestingDepth, or: maximumNestingDepth)
    maximumSpooledBytes = try read(.maximumSpooledBytes, or: maximumSpooledBytes)
    indexDirectory = try values.decodeIfPresent(URL.self, forKey: .indexDirectory)
    temporaryDirectory = try read(.temporaryDirectory, or: temporaryDirectory)
  }

  /// Encodes all properties; equal values encode equally.
  public func encode(to encoder: any Encoder) throws {
    var values = encoder.container(keyedBy: CodingKeys.self)
    // The order of a set is another one in each process.
    try values.encode(optionalFormats.map(\.rawValue).sorted(), forKey: .optionalFormats)
    try values.encode(maximumExpansionRatio, forKey: .maximumExpansionRatio)
    try values.encode(freelyExpandedBytes, forKey: .freelyExpandedBytes)
    try values.encode(maximumMemberSize, forKey: .maximumMemberSize)
    try values.encode(maximumMembers, forKey: .maximumMembers)
    try values.encode(maximumIndexBytes, forKey: .maximumIndexBytes)
    try values.encode(maximumNestingDepth, forKey: .maximumNestingDepth)
    try values.encode(maximumSpooledBytes, forKey: .maximumSpooledBytes)
    try values.encodeIfPresent(indexDirectory, forKey: .indexDirectory)
    try values.encode(temporaryDirectory, forKey: .temporaryDirectory)
  }
}
