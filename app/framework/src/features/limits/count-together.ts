/** The count of a store: the requests of a key in its window, and when the window ends. */
export interface Counted {
  readonly consumedPoints: number
  readonly msBeforeNext: number
}

/** The position of a request in the window of its key, from 1. */
interface Position {
  readonly position: number
  readonly msBeforeNext: number
}

/**
 * Returns a function that counts a request of a key. Requests of a key at the same moment are counted with one statement:
 * otherwise they would wait for each other's lock of its row. `consume` adds a number of requests to a key.
 */
export function countTogether(
  consume: (key: string, requests: number) => Promise<Counted>,
): (key: string) => Promise<Position> {
  const groups = new Map<string, PromiseWithResolvers<Position>[]>()
  const send = async (key: string) => {
    const group = groups.get(key) ?? []
    groups.delete(key)
    try {
      const { consumedPoints, msBeforeNext } = await consume(key, group.length)
      const before = consumedPoints - group.length
      group.forEach(({ resolve }, index) => resolve({ position: before + index + 1, msBeforeNext }))
    } catch (error) {
      for (const { reject } of group) reject(error)
    }
  }
  return (key) => {
    const group = groups.get(key) ?? []
    const request = Promise.withResolvers<Position>()
    if (group.push(request) === 1) setImmediate(() => void send(key))
    groups.set(key, group)
    return request.promise
  }
}
