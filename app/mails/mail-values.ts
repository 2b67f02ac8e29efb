import { isSender } from 'pergola/mail'
import { z } from 'zod'

const URL_FORMS =
  'smtp://user:password@host:587, smtps://user:password@host, or a folder like file:///tmp/mail'

/** A mail server, a folder, or `memory:` in tests. */
export const mailUrl = z
  .url({ protocol: /^(?:smtps?|file|memory)$/, error: URL_FORMS })
  .refine((text) => !text.startsWith('smtp') || isServer(new URL(text)), URL_FORMS)

/** Returns whether a URL has a host, a password that can be decoded, and no parts that would have no effect. */
function isServer({ hostname, username, password, pathname, search, hash }: URL): boolean {
  return (
    hostname !== '' &&
    isDecodable(username + password) &&
    ['', '/'].includes(pathname) &&
    search + hash === ''
  )
}

/** Returns whether a text is encoded as UTF-8 with `%`: `p%40ss` is, `p%zz` and `p%ff` are not. */
function isDecodable(text: string): boolean {
  try {
    decodeURIComponent(text)
    return true
  } catch {
    return false
  }
}

/** `Pergola <no-reply@example.org>`, or an address alone. */
export const sender = z.string().refine(isSender, 'a sender, like Pergola <no-reply@example.org>')
