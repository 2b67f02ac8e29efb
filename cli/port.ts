import getPort, { clearLockedPorts } from 'get-port'

/** Returns the first free port of a hundred, beginning at `first`. Returns any free port if all of them are in use. */
export const freePort = (first: number): Promise<number> =>
  getPort({ port: Array.from({ length: 100 }, (_, index) => first + index).filter((port) => port <= 65_535) })

/** Returns a free port of 127.0.0.1. */
export const anyFreePort = (): Promise<number> => getPort({ host: '127.0.0.1' })

/** Returns whether no program listens on the port. Port 0 means any free port. */
export async function isFree(port: number): Promise<boolean> {
  // get-port reports a port as in use for 15 seconds after it returned that port.
  clearLockedPorts()
  return port === 0 || (await getPort({ port })) === port
}

/** Parses the variable PORT. Throws if it is not a valid port, or if the port is in use. */
export async function portOf(value: string): Promise<number> {
  const port = Number(value)
  if (!/^\d+$/.test(value) || port < 1 || port > 65_535)
    throw new Error(`PORT is "${value}". Set it to a number from 1 to 65535.`)
  if (await isFree(port)) return port
  throw new Error(`PORT is ${port}, and that port is in use. Stop the program that uses it, or set another.`)
}
