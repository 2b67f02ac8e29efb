import { createHash } from 'node:crypto'

/** The milliseconds within which the list must answer. */
const TIMEOUT = 1_000

/**
 * Returns whether a list of breached passwords contains this one. `list` is the URL of a range API like that of Pwned
 * Passwords: it receives the first five digits of the SHA-1 digest, and returns the rest of each digest that begins with
 * them, with a count. So neither the password nor its digest leaves the server. Rejects if the list doesn't answer.
 */
export async function isBreached(list: string, password: string): Promise<boolean> {
  const digest = createHash('sha1').update(password).digest('hex').toUpperCase()
  const [start, rest] = [digest.slice(0, 5), digest.slice(5)]
  const response = await fetch(`${list}${start}`, {
    // All answers then have about the same size. The added lines have the count 0.
    headers: { 'Add-Padding': 'true' },
    redirect: 'error',
    signal: AbortSignal.timeout(TIMEOUT),
  })
  if (!response.ok) throw new Error(`The list answered with the status ${response.status}.`)
  const found = new RegExp(`^${rest}:0*[1-9]`, 'im')
  return found.test(await response.text())
}
