import { z } from 'zod'

const URL_FORMS =
  'smtp://user:password@host:587, smtps://user:password@host, or a folder like file:///tmp/mail'

/** A mail server, a folder, or `memory:` in tests. */
export const mailUrl = z
  .url({ protocol: /^(?:smtps?|file|memory)$/, error: URL_FORMS })
  .refine((text) => !text.startsWith('smtp') || isServer(new URL(text)), URL_FORMS)

/** Returns whether a URL has a host, a password that can be decoded, and no parts that would have no effect. */
function isServer({ hostname, username, password, pathname, search, hash }: URL): boolean {
  const isEncoded = !/%(?![0-9a-f]{2})/i.test(username + password)
  return hostname !== '' && isEncoded && ['', '/'].includes(pathname) && search + hash === ''
}

/** `Pergola <no-reply@example.org>`, or an address alone. */
export const sender = z
  .string()
  .regex(
    /^(?:[^<>@\p{Cc}]*<[^\s<>@]+@[^\s<>@]+>|[^\s<>@]+@[^\s<>@]+)$/u,
    'a sender, like Pergola <no-reply@example.org>',
  )
