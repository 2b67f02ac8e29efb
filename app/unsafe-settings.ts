import type { Settings } from './config.ts'

/** Throws for the first setting that is missing or unsafe in production. */
export function refuseUnsafe({ server, database, session, accounts }: Settings): void {
  const withoutUrl = database.shards.find(({ url }) => url === undefined)
  const missing =
    (database.url === undefined &&
      database.shards.length === 0 &&
      'DATABASE_URL is missing. Expected: postgres://user:password@host:port/database.') ||
    (withoutUrl !== undefined &&
      `The shard ${withoutUrl.name} has no url. Expected: postgres://user:password@host:port/database.`) ||
    (server.base_url === undefined &&
      'BASE_URL is missing. Expected: the public address, like https://example.org.') ||
    (isPlainHttp(server.base_url) &&
      `BASE_URL is ${server.base_url}. Expected: an https address, because session cookies can be read on the network.`) ||
    (session.secret.length === 0 && 'SESSION__SECRET is missing. Expected: 32 or more random characters.') ||
    (session.secret.some(isPlaceholder) &&
      'SESSION__SECRET is a placeholder, which is public. Generate one: openssl rand -base64 32') ||
    (session.secret.some(isGuessable) &&
      'SESSION__SECRET has few distinct characters and can be guessed. Generate one: openssl rand -base64 32') ||
    (accounts.demo && 'accounts.demo is true. Set it to false: the password of the demo accounts is public.')
  if (missing !== false) throw new Error(`Production: ${missing}`)
}

/** Returns whether the address is http, except on this machine, where no network can be observed. */
function isPlainHttp(address = ''): boolean {
  const url = URL.parse(address)
  return url?.protocol === 'http:' && !isLoopback(url.hostname)
}

export const isLoopback = (host: string): boolean => /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/.test(host)

/** Returns whether a secret is a text to replace, as in `.env.example`: `replace-me-with-32-or-more-random-characters`. */
const isPlaceholder = (secret: string): boolean => /^(?:replace|change)(?:me|[-_ ])/i.test(secret)

/** Returns whether a secret has few distinct characters. A generated one has more than 12. */
export const isGuessable = (secret: string): boolean => new Set(secret).size < 12
