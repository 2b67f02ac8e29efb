import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { formatted } from '../../scaffold/code/render-template.ts'
import { variableFor } from '../../scaffold/read/code-names.ts'
import { createFile } from './create-file.ts'
import { snakeName } from './name.ts'
import { addMail } from './task-list.ts'

const LIST = 'app/mails/mails.ts'

/** Creates a mail with its two templates and a test, and adds it to the list of mails. */
export async function generateMail(input: string): Promise<void> {
  const snake = snakeName(input)
  const name = snake.replaceAll('_', '-')
  const variable = variableOf(name)
  const list = addMail(readFileSync(LIST, 'utf8'), { variable, file: `./${name}.ts` })
  const subject = subjectOf(snake)
  const files = [
    [`app/mails/${name}.ts`, declaration(name, { variable, subject })],
    [`app/mails/${name}.test.ts`, testOf(name, { variable, subject })],
    [`views/mails/${snake}.eta`, HTML],
    [`views/mails/${snake}.text.eta`, TEXT],
  ] as const
  createAll(files)
  if (list === null) return console.error(`Could not edit ${LIST}. Add ${variable} from ./${name}.ts to it.`)
  try {
    writeFileSync(LIST, (await formatted({ path: LIST, text: list })).text)
  } catch (error) {
    files.forEach(([path]) => rmSync(path))
    throw error
  }
  console.log(`change  ${LIST}`)
  console.error(
    `Write the mail, look at it under /_dev/mail, then call: await send(${variable}, { to, data })`,
  )
}

/** Creates all files, or none if one of them exists. */
function createAll(files: readonly (readonly [path: string, text: string])[]): void {
  const created: string[] = []
  try {
    for (const [path, text] of files) {
      createFile(path, text)
      created.push(path)
    }
  } catch (error) {
    created.forEach((path) => rmSync(path))
    throw error
  }
}

function variableOf(name: string): string {
  const camel = name.replaceAll(/-(.)/g, (_, letter: string) => letter.toUpperCase())
  return ['app', 'mail', 'mails', 'send', 'z'].includes(camel) ? `${camel}Mail` : variableFor(camel, 'Mail')
}

/** `password_reset` becomes `Password reset`. */
const subjectOf = (snake: string) => snake.charAt(0).toUpperCase() + snake.slice(1).replaceAll('_', ' ')

interface MailNames {
  readonly variable: string
  readonly subject: string
}

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

const HTML = `<% layout('/mails/_layout') %>
<p style="margin: 0 0 16px;">Hello <%= it.name %>,</p>
<p style="margin: 0 0 16px;">Write the text here.</p>
<%~ include('/mails/_button', { href: it.link, label: 'Open' }) %>
`

const TEXT = `Hello <%= it.name %>,

Write the text here:
<%= it.link %>
`
