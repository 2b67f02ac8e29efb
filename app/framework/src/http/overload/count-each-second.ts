import type { Logger } from 'pino'

/** Returns a function that counts its calls, and logs their number as `refused`, at most once a second. */
export function countEachSecond(log: Logger | undefined, message: string, fields: () => object = () => ({})) {
  let refused = 0
  return function count(): void {
    if (refused++ > 0) return
    const write = () => {
      log?.warn({ refused, ...fields() }, message)
      refused = 0
    }
    setTimeout(write, 1_000).unref()
  }
}
