extension URLSessionConfiguration.RetryPolicy: Codable {
  private enum CodingKeys: String, CodingKey {
    case maximumRetries, statusCodes, refusalStatusCodes, failureCodes, repeatedMethods, firstDelay, maximumBackoff,
      isJittered, maximumDelay, budget
  }

  /// Reads a policy; what is missing has its default value.
  public init(from decoder: any Decoder) throws {
    self.init()
    let values = try decoder.container(keyedBy: CodingKeys.self)
    maximumRetries = try values.decodeIfPresent(Int.self, forKey: .maximumRetries) ?? maximumRetries
    statusCodes = try values.decodeIfPresent(Set<Int>.self, forKey: .statusCodes) ?? statusCodes
    refusalStatusCodes =
      try values.decodeIfPresent(Set<Int>.self, forKey: .refusalStatusCodes) ?? refusalStatusCodes
    if let codes = try values.decodeIfPresent([Int].self, forKey: .failureCodes) {
      failureCodes = Set(codes.compactMap { URLError.Code(rawValue: $0) })
    }
    repeatedMethods = try values.decodeIfPresent(Set<String>.self, forKey: .repeatedMethods) ?? repeatedMethods
    firstDelay = try values.decodeIfPresent(TimeInterval.self, forKey: .firstDelay) ?? firstDelay
    maximumBackoff = try values.decodeIfPresent(TimeInterval.self, forKey: .maximumBackoff) ?? maximumBackoff
    isJittered = try values.decodeIfPresent(Bool.self, forKey: .isJittered) ?? isJittered
    maximumDelay = try values.decodeIfPresent(TimeInterval.self, forKey: .maximumDelay) ?? maximumDelay
    if values.contains(.budget) { budget = try values.decodeIfPresent(Budget.self, forKey: .budget) }
  }

  /// Writes a policy: the same text for the same values.
  public func encode(to encoder: any Encoder) throws {
    var values = encoder.container(keyedBy: CodingKeys.self)
    try values.encode(maximumRetries, forKey: .maximumRetries)
    try values.encode(statusCodes.sorted(), forKey: .statusCodes)
    try values.encode(refusalStatusCodes.sorted(), forKey: .refusalStatusCodes)
    try values.encode(failureCodes.map(\.rawValue).sorted(), forKey: .failureCodes)
    try values.encode(repeatedMethods.sorted(), forKey: .repeatedMethods)
    try values.encode(Self.finite(firstDelay), forKey: .firstDelay)
    try values.encode(Self.finite(maximumBackoff), forKey: .maximumBackoff)
    try values.encode(isJittered, forKey: .isJittered)
    try values.encode(Self.finite(maximumDelay), forKey: .maximumDelay)
    guard let budget else { return try values.encodeNil(forKey: .budget) }
    var sent = Budget()
    sent.retriesPerLoad = Self.finite(budget.retriesPerLoad)
    sent.retriesPerSecond = Self.finite(budget.retriesPerSecond)
    sent.savedRetries = Self.finite(budget.savedRetries)
    try values.encode(sent, forKey: .budget)
  }

  /// JSON has no infinity.
  private static func finite(_ number: Double) -> Double {
    number.isNaN ? 0 : min(max(number, -.greatestFiniteMagnitude), .greatestFiniteMagnitude)
  }
}
