import { createServer } from 'node:net'

/** `first`, or the next one that is free. Throws when a hundred are taken. */
export async function freePort(first: number, free = isFree): Promise<number> {
  for (let port = first; port < first + 100; port++) {
    if (await free(port)) return port
  }
  throw new Error(`The ports ${first} to ${first + 99} are all taken. Choose another: PORT=4000 npm run dev`)
}

/** The port that PORT asks for. Throws when it is none, or taken. */
export async function givenPort(wanted: string, free = isFree): Promise<number> {
  const port = Number(wanted)
  if (!/^\d+$/.test(wanted) || port < 1 || port > 65_535) {
    throw new Error(`PORT is "${wanted}", which is no port: use a number from 1 to 65535.`)
  }
  if (!(await free(port))) {
    throw new Error(
      `Port ${port}, which PORT asks for, is taken. End what listens there, or choose another port.`,
    )
  }
  return port
}

// All four: elsewhere than on Linux a port can be taken on every address and yet look free on 127.0.0.1, and
// `localhost` leads to ::1 first.
export async function isFree(port: number): Promise<boolean> {
  for (const host of ['127.0.0.1', '::1', '0.0.0.0', '::']) {
    if ((await listen(port, host)) === null) return false
  }
  return true
}

/** A port of 127.0.0.1 that nobody uses, from the range that the system hands out. */
export async function anyFreePort(): Promise<number> {
  return (await listen(0, '127.0.0.1')) ?? anyFreePort()
}

// The port that could be listened on, and was given back; null when it is taken.
function listen(port: number, host: string): Promise<number | null> {
  return new Promise((resolve) => {
    const server = createServer()
    // A machine without IPv6 has no ::1 that somebody could listen on.
    server.on('error', ({ code }: NodeJS.ErrnoException) =>
      resolve(code === 'EADDRINUSE' || code === 'EACCES' ? null : port),
    )
    server.listen({ port, host, exclusive: true }, () => {
      const address = server.address()
      server.close(() => resolve(typeof address === 'object' && address !== null ? address.port : port))
    })
  })
}
