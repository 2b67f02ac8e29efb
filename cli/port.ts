import getPort, { clearLockedPorts } from 'get-port'

/** Returns `first` or the next free port, of a hundred. Returns any free port if all of them are in use. */
export const freePort = (first: number): Promise<number> =>
  getPort({ port: Array.from({ length: 100 }, (_, index) => first + index).filter((port) => port <= 65_535) })

/** Returns a free port of 127.0.0.1. */
export const anyFreePort = (): Promise<number> => getPort({ host: '127.0.0.1' })

/** Returns whether no program listens on the port. Port 0 stands for any free port. */
export async function isFree(port: number): Promise<boolean> {
  // For 15 s get-port reports a port that it returned as in use.
  clearLockedPorts()
  return port === 0 || (await getPort({ port })) === port
}

/** Returns the port that the variable PORT names. Throws if it is not a port, or in use. */
export async function portOf(value: string): Promise<number> {
  const port = Number(value)
  if (!/^\d+$/.test(value) || port < 1 || port > 65_535)
    throw new Error(`PORT is "${value}". Set it to a number from 1 to 65535.`)
  if (await isFree(port)) return port
  throw new Error(`PORT is ${port}, and that port is in use. Stop the program that uses it, or set another.`)
}
