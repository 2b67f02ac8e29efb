import type { z } from 'zod'

interface MailOptions<Data extends z.ZodObject> {
  /** The schema of the values that the templates use. They are stored encrypted as JSON until the mail is delivered. */
  data: Data
  /** Returns the subject, in one line of up to 200 characters. */
  subject: (data: z.output<Data>) => string
  /** Values for the preview and for tests. */
  example: z.input<Data>
}

/** A declared mail. `Input` is the type of its data. */
export interface Mail<Input extends object> {
  readonly name: string
  readonly data: z.ZodObject & z.ZodType<unknown, Input>
  subject(data: object): string
  readonly example: Input
}

/** A declared mail, with any data. */
// oxlint-disable-next-line typescript/no-explicit-any -- The type of the data is contravariant.
export type AnyMail = Mail<any>

/**
 * Declares a mail. Its templates are `views/mails/password_reset.eta` (HTML) and `views/mails/password_reset.text.eta`, which
 * have the data under `it`, with `subject`, `appName`, `formatDate`, `formatDateTime` and `formatMoney`.
 *
 * ```ts
 * export const passwordReset = mail('password-reset', {
 *   data: z.object({ name: z.string(), link: z.url() }),
 *   subject: () => 'Set a new password',
 *   example: { name: 'Alice', link: 'https://example.org/password/new' },
 * })
 * ```
 *
 * List it in `app/mails/mails.ts`. Throws if the name is not in lower case with hyphens.
 */
export function mail<Data extends z.ZodObject>(
  name: string,
  options: MailOptions<Data>,
): Mail<z.input<Data>> {
  if (!/^[a-z][a-z0-9]*(-[a-z0-9]+)*$/.test(name))
    throw new Error(
      `${name} is not a valid mail name. Use lower-case letters, digits and hyphens, like password-reset.`,
    )
  const { data, subject, example } = options
  const schema = data as unknown as Mail<z.input<Data>>['data']
  return Object.freeze({ name, data: schema, subject, example })
}
