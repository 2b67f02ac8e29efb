import type { Config } from '#app/config.ts'
import { isFree } from '../../port.ts'
import { type Finding, note, ok, wrong } from './finding.ts'

/** Checks that the port is free, or used by this application. */
export async function checkPort({ server, profile }: Config): Promise<Finding> {
  const { port } = server
  if (await isFree(port)) return ok('port', `Port ${port} is free.`)
  if (await isOurs(port)) return ok('port', `Pergola is running on port ${port}.`)
  const problem = `Port ${port} is in use by another program.`
  if (profile === 'production') return wrong('port', problem, 'Stop that program, or set PORT.')
  return note('port', problem, 'npm run dev uses the next free port.')
}

/** Returns whether the server on this port responds to `/livez` like Pergola. */
async function isOurs(port: number): Promise<boolean> {
  try {
    const answer = await fetch(`http://127.0.0.1:${port}/livez`, { signal: AbortSignal.timeout(1_000) })
    return answer.ok && (await answer.text()) === 'ok'
  } catch {
    return false
  }
}
