/// What Redis does in one step. Each script has one key, the entries with one key of the cache: a hash of `h:<id>`, an entry's head;
/// `b:<id>`, its body if that is small; `t:<id>`, when it was stored. A larger body is a key of its own, the hash's with `:<id>` after it.
enum RedisScripts {
  /// Arguments: identifier, head, body, 1 for a small body, lifetime in milliseconds, time, identifiers of what is replaced.
  static let store = """
    for i = 7, #ARGV do
      redis.call('HDEL', KEYS[1], 'h:' .. ARGV[i], 'b:' .. ARGV[i], 't:' .. ARGV[i])
      redis.call('DEL', KEYS[1] .. ':' .. ARGV[i])
    end
    if redis.call('HLEN', KEYS[1]) > 48 then redis.call('DEL', KEYS[1]) end
    redis.call('HSET', KEYS[1], 'h:' .. ARGV[1], ARGV[2], 't:' .. ARGV[1], ARGV[6])
    if ARGV[4] == '1' then
      redis.call('HSET', KEYS[1], 'b:' .. ARGV[1], ARGV[3])
    else
      redis.call('SET', KEYS[1] .. ':' .. ARGV[1], ARGV[3], 'PX', ARGV[5])
    end
    redis.call('PEXPIRE', KEYS[1], ARGV[5])
    """

  /// Arguments: identifier, head, lifetime in milliseconds.
  static let replace = """
    if redis.call('HEXISTS', KEYS[1], 'h:' .. ARGV[1]) == 1 then
      redis.call('HSET', KEYS[1], 'h:' .. ARGV[1], ARGV[2])
      redis.call('PEXPIRE', KEYS[1], ARGV[3])
      redis.call('PEXPIRE', KEYS[1] .. ':' .. ARGV[1], ARGV[3])
    end
    """

  /// Arguments: identifiers.
  static let remove = """
    for i = 1, #ARGV do
      redis.call('HDEL', KEYS[1], 'h:' .. ARGV[i], 'b:' .. ARGV[i], 't:' .. ARGV[i])
      redis.call('DEL', KEYS[1] .. ':' .. ARGV[i])
    end
    """

  /// Arguments: a time; what was stored later goes.
  static let removeSince = """
    local fields = redis.call('HGETALL', KEYS[1])
    for i = 1, #fields, 2 do
      local name = fields[i]
      if string.sub(name, 1, 2) == 't:' and tonumber(fields[i + 1]) > tonumber(ARGV[1]) then
        local id = string.sub(name, 3)
        redis.call('HDEL', KEYS[1], 'h:' .. id, 'b:' .. id, 't:' .. id)
        redis.call('DEL', KEYS[1] .. ':' .. id)
      end
    end
    """

  /// The key is that of the lock. Arguments: a token, the lease in milliseconds. Gives 1 to who has it now, 2 where nobody needs it, and 0
  /// while another one has it.
  static let claim = """
    local owner = redis.call('GET', KEYS[1])
    if not owner then
      redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
      return 1
    end
    if owner == 'free' then return 2 end
    return 0
    """

  /// The key is that of the lock. Arguments: the token, milliseconds for which nobody needs it, or 0.
  static let release = """
    if redis.call('GET', KEYS[1]) == ARGV[1] then
      if ARGV[2] == '0' then
        redis.call('DEL', KEYS[1])
      else
        redis.call('SET', KEYS[1], 'free', 'PX', ARGV[2])
      end
    end
    """
}
