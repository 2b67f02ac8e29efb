import { z } from 'zod'

const URL_FORMS =
  'smtp://user:password@host:587, smtps://user:password@host, or a folder like file:///tmp/mail'

/** A mail server, a folder, or `memory:` in tests. */
export const mailUrl = z
  .url({ protocol: /^(?:smtps?|file|memory)$/, error: URL_FORMS })
  .refine((text) => !text.startsWith('smtp') || isServer(new URL(text)), URL_FORMS)

/** Other parts of the URL would have no effect. */
const isServer = ({ hostname, pathname, search, hash }: URL) =>
  hostname !== '' && ['', '/'].includes(pathname) && search + hash === ''

/** `Pergola <no-reply@example.org>`, or an address alone. */
export const sender = z
  .string()
  .regex(
    /^(?:[^<>@\p{Cc}]*<[^\s<>@]+@[^\s<>@]+>|[^\s<>@]+@[^\s<>@]+)$/u,
    'a sender, like Pergola <no-reply@example.org>',
  )
