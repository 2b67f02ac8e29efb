import type { Logger } from 'pino'

/**
 * Returns a function that counts its calls, and logs their number as `refused` with the fields of the last call, at most
 * once a second.
 */
export function countEachSecond(log: Logger | undefined, message: string) {
  let refused = 0
  let last: object = {}
  return function count(fields: object): void {
    last = fields
    if (refused++ > 0) return
    const write = () => {
      log?.warn({ refused, ...last }, message)
      refused = 0
    }
    setTimeout(write, 1_000).unref()
  }
}
