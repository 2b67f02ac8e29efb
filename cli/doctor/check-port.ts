import type { Config } from '#app/config.ts'
import { isFree } from '../port.ts'
import { type Finding, note, ok, wrong } from './finding.ts'

/** Whether the port is free, or ours already. */
export async function checkPort({ server, profile }: Config): Promise<Finding> {
  const { port } = server
  if (await isFree(port)) return ok('port', `Port ${port} is free.`)
  if (await isOurs(port)) return ok('port', `Pergola answers on port ${port}.`)
  const taken = `Port ${port} is taken by another program.`
  if (profile === 'production') return wrong('port', taken, 'End that program, or set PORT.')
  return note('port', taken, 'npm run dev takes the next one that is free.')
}

/** Whoever listens there says what `/livez` says. */
async function isOurs(port: number): Promise<boolean> {
  try {
    const answer = await fetch(`http://127.0.0.1:${port}/livez`, { signal: AbortSignal.timeout(1_000) })
    return answer.ok && (await answer.text()) === 'ok'
  } catch {
    return false
  }
}
