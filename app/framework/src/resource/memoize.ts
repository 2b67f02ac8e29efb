/**
 * Returns a function that computes the result for a key once, as long as it is among the last `limit` keys that were
 * computed. An error is thrown again for each call.
 *
 * ```ts
 * const dayName = memoize((day: number) => DAY.format(day * MS_PER_DAY), 1_000)
 * ```
 */
export function memoize<Key extends string | number, Result>(
  compute: (key: Key) => Result,
  limit: number,
): (key: Key) => Result {
  const results = new Map<Key, Result>()
  return (key) => {
    const known = results.get(key)
    if (known !== undefined || results.has(key)) return known as Result
    const result = compute(key)
    // A Map lists its keys in the order of their insertion.
    if (results.size >= limit) results.delete(results.keys().next().value as Key)
    results.set(key, result)
    return result
  }
}

/**
 * Returns a function that computes the result for an object once, for as long as the object exists. Results are never
 * undefined.
 */
export function weakMemoize<Key extends object, Result extends object | string | boolean>(
  compute: (key: Key) => Result,
): (key: Key) => Result {
  const results = new WeakMap<Key, Result>()
  return (key) => {
    let result = results.get(key)
    if (result === undefined) results.set(key, (result = compute(key)))
    return result
  }
}
