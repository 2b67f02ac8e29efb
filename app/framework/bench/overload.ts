import { connect, type Socket } from 'node:net'
import { performance } from 'node:perf_hooks'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'

/**
 * Loads a server with more and more clients and prints how much of its capacity remains:
 *
 *     node bench/overload.ts http://127.0.0.1:3000 --path /posts --host example.org
 *
 * Each client sends its next request as soon as it has a response, whatever the status, over one connection. A good
 * answer has a status below 400 and arrives within two seconds. The ratios compare with 8 clients in the same run.
 * Runs in a process of its own, against any server on this machine.
 */
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    path: { type: 'string', default: '/' },
    /** Each tenth request gets this path. */
    other: { type: 'string' },
    host: { type: 'string' },
    seconds: { type: 'string', default: '8' },
    rounds: { type: 'string', default: '1' },
  },
})
const url = new URL(positionals[0] ?? '')
if (!['127.0.0.1', 'localhost', '[::1]'].includes(url.hostname))
  throw new Error(`${url.hostname} is not this machine. Pass a loopback URL.`)

const CLIENTS = [8, 32, 100, 600]
const DEADLINE = 2_000
const WARM_UP = 1_500
const seconds = Math.min(Number(values.seconds), 60)
const rounds = Math.min(Number(values.rounds), 10)

const request = (path: string) =>
  Buffer.from(`GET ${path} HTTP/1.1\r\nHost: ${values.host ?? url.host}\r\nAccept: text/html\r\n\r\n`)
const list = request(values.path)
const other = request(values.other ?? values.path)
const probe = request('/livez')

interface Tally {
  good: number[]
  refusals: number[]
  /** By status, which is 0 for a connection that broke. */
  failures: Map<number, number>
}

type Report = (status: number, milliseconds: number) => void

/** Sends a request over a connection of its own, and the next one when its response is complete, until `stopped()`. */
function client(next: () => Buffer | null, report: Report): Socket {
  const socket = connect({ port: Number(url.port), host: url.hostname.replace(/[[\]]/g, '') })
  let started = 0
  let received = ''
  const send = () => {
    const bytes = next()
    if (bytes === null) return
    started = performance.now()
    socket.write(bytes)
  }
  socket.setNoDelay(true)
  socket.setEncoding('latin1')
  socket.on('connect', send)
  socket.on('data', (chunk: string) => {
    received = received === '' ? chunk : received + chunk
    const head = received.indexOf('\r\n\r\n')
    if (head < 0) return
    const length = /\r\ncontent-length: (\d+)/i.exec(received.slice(0, head))?.[1] ?? '0'
    if (received.length < head + 4 + Number(length)) return
    const closes = /\r\nconnection: close/i.test(received.slice(0, head))
    report(Number(received.slice(9, 12)), performance.now() - started)
    received = ''
    if (!closes) send()
  })
  socket.on('error', () => report(0, performance.now() - started))
  return socket
}

async function run(clients: number) {
  const tally: Tally = { good: [], refusals: [], failures: new Map() }
  const probes: number[] = []
  let measuring = false
  let stopped = false
  let sent = 0
  const report: Report = (status, milliseconds) => {
    if (!measuring) return
    if (status >= 200 && status < 400 && milliseconds <= DEADLINE) tally.good.push(milliseconds)
    else if (status === 503) tally.refusals.push(milliseconds)
    else tally.failures.set(status, (tally.failures.get(status) ?? 0) + 1)
  }
  const nextList = () => (stopped ? null : ++sent % 10 === 0 ? other : list)
  const sockets = new Set<Socket>()
  const open = () => {
    const socket = client(nextList, report)
    sockets.add(socket)
    // A server may close a connection after many requests, or after a refusal.
    socket.on('close', () => {
      sockets.delete(socket)
      if (!stopped) setTimeout(open, 5)
    })
  }
  for (let count = 0; count < clients; count++) open()
  const prober = setInterval(() => {
    const socket = client(
      () => probe,
      (status, milliseconds) => {
        if (measuring) probes.push(status === 200 ? milliseconds : Infinity)
        socket.destroy()
      },
    )
  }, 50)
  await sleep(WARM_UP)
  measuring = true
  const started = performance.now()
  await sleep(seconds * 1_000)
  measuring = false
  const elapsed = (performance.now() - started) / 1_000
  clearInterval(prober)
  stopped = true
  for (const socket of sockets) socket.destroy()
  await sleep(500)
  return { tally, probes, elapsed }
}

/** Returns `12 × 421`, the number of failures with each status. */
const textOf = (failures: Tally['failures']) =>
  [...failures].map(([status, count]) => `${count} × ${status || 'no response'}`).join(', ')

const MISDIRECTED = 421

const quantile = (times: readonly number[], share: number) =>
  times.toSorted((one, another) => one - another)[Math.floor(times.length * share)] ?? Number.NaN

for (let round = 0; round < rounds; round++) {
  let capacity: { goodput: number; p99: number } | undefined
  const rows: Record<string, object> = {}
  for (const clients of CLIENTS) {
    const { tally, probes, elapsed } = await run(clients)
    if (tally.failures.has(MISDIRECTED))
      throw new Error(
        'The server responds with 421 to this host. Pass the host of its BASE_URL: --host example.org',
      )
    const goodput = tally.good.length / elapsed
    const p99 = quantile(tally.good, 0.99)
    capacity ??= { goodput, p99 }
    rows[`${clients} clients`] = {
      'good/s': goodput.toFixed(0),
      'of capacity': (goodput / capacity.goodput).toFixed(2),
      'p50 ms': quantile(tally.good, 0.5).toFixed(1),
      'p99 ms': p99.toFixed(1),
      'p99 / capacity': (p99 / capacity.p99).toFixed(2),
      '503/s': (tally.refusals.length / elapsed).toFixed(0),
      '503 p50 ms': quantile(tally.refusals, 0.5).toFixed(1),
      failures: textOf(tally.failures),
      '/livez p99 ms': quantile(probes, 0.99).toFixed(1),
    }
  }
  // oxlint-disable-next-line no-console
  console.table(rows)
}
