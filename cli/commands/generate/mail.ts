import { createListed } from './list-file.ts'

/** Creates a mail with its two templates and a test, and adds it to the list of mails. */
export const generateMail = (input: string): Promise<void> =>
  createListed('mail', input, (name, variable) => {
    const view = `views/mails/${name.replaceAll('-', '_')}`
    const named = { variable, subject: subjectOf(name) }
    return {
      files: [
        [`app/mails/${name}.ts`, declaration(name, named)],
        [`app/mails/${name}.test.ts`, testOf(name, named)],
        [`${view}.eta`, htmlOf(dataOf(name, variable))],
        [`${view}.text.eta`, textOf(dataOf(name, variable))],
      ],
      next: `Write the mail, look at it under /_dev/mail, then call: await send(${variable}, { to, data })`,
    }
  })

/** `password-reset` becomes `Password reset`. */
const subjectOf = (name: string) => name.charAt(0).toUpperCase() + name.slice(1).replaceAll('-', ' ')

type MailNames = Record<'variable' | 'subject', string>

const declaration = (name: string, { variable, subject }: MailNames) => `import { z } from 'zod'
import { mail } from 'pergola/mail'

export const ${variable} = mail('${name}', {
  data: z.object({ name: z.string(), link: z.url() }),
  subject: () => '${subject}',
  example: { name: 'Alice', link: 'https://example.org/' },
})
`

const testOf = (
  name: string,
  { variable, subject }: MailNames,
) => `import { describe, expect, it } from 'vitest'
import { send } from 'pergola/mail'
import { testApp } from '#app/test/test-app.ts'
import { ${variable} } from './${name}.ts'

const app = await testApp()

describe('${name}', () => {
  it('has the link, in HTML and in text', async () => {
    const data = ${variable}.example
    await app.within(() => send(${variable}, { to: 'alice@example.test', data }))
    const [mail] = await app.mails()
    expect(mail).toMatchObject({ name: '${name}', to: 'alice@example.test', subject: '${subject}' })
    expect(mail?.html).toContain(\`href="\${data.link}"\`)
    expect(mail?.text).toContain(data.link)
  })
})
`

const dataOf = (name: string, variable: string) => `
  /** @import { ${variable} } from '#app/mails/${name}.ts' */
  /** @type {MailData<typeof ${variable}>} */
`

const htmlOf = (data: string) => `<%${data}  layout('/mails/_layout')
%>
<p style="margin: 0 0 16px;">Hello <%= it.name %>,</p>
<p style="margin: 0 0 16px;">Write the text here.</p>
<%~ include('/mails/_button', { href: it.link, label: 'Open' }) %>
`

const textOf = (data: string) => `<%${data}%>
Hello <%= it.name %>,

Write the text here:
<%= it.link %>
`
