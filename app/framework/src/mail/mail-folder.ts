import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { compose } from './compose.ts'
import type { OutgoingMail } from './render-mail.ts'
import type { MailSettings } from './use-mail.ts'

/** A mail in a folder, as development lists it. */
export interface StoredMail extends Omit<OutgoingMail, 'data'> {
  /** When it was stored, as RFC 3339 text. */
  readonly at: string
}

/** The number of mails that a folder holds. The oldest make room for new ones. */
const MOST = 200

/** Stores a mail as `<time>_<id>.eml`, and its parts beside it as JSON for the inbox of development. */
export async function storeMail(settings: MailSettings, mail: OutgoingMail): Promise<void> {
  const { createTransport } = await import('nodemailer')
  const composer = createTransport({ streamTransport: true, buffer: true, newline: 'windows' })
  const { message } = await composer.sendMail(compose(settings, mail))
  const folder = folderOf(settings)
  // The links in mails can sign a user in.
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const at = new Date().toISOString()
  const { id, name, to, subject, text, html } = mail
  const stored: StoredMail = { id, name, to, subject, text, html, at }
  const file = `${at.replaceAll(':', '-')}_${id}`
  await writeWhole(join(folder, `${file}.eml`), message as Buffer)
  await writeWhole(join(folder, `${file}.json`), JSON.stringify(stored))
  await removeOldest(folder)
}

/** Writes a file that readers see whole or not at all. */
async function writeWhole(path: string, content: string | Buffer): Promise<void> {
  await writeFile(`${path}.new`, content, { mode: 0o600 })
  await rename(`${path}.new`, path)
}

async function removeOldest(folder: string): Promise<void> {
  const names = await namesIn(folder)
  for (const name of names.slice(MOST))
    for (const ending of ['json', 'eml']) await rm(join(folder, `${name}.${ending}`), { force: true })
}

/** Returns the stored mails, newest first. */
export async function storedMails(settings: MailSettings): Promise<StoredMail[]> {
  const folder = folderOf(settings)
  const mails = (await namesIn(folder)).map(async (name) => {
    const text = await readFile(join(folder, `${name}.json`), 'utf8').catch(() => null)
    return text === null ? [] : [JSON.parse(text) as StoredMail]
  })
  return (await Promise.all(mails)).flat()
}

/** Returns a stored mail and its source, or null. */
export async function storedMail(
  settings: MailSettings,
  id: string,
): Promise<{ mail: StoredMail; source: string } | null> {
  const folder = folderOf(settings)
  const name = (await namesIn(folder)).find((name) => name.endsWith(`_${id}`))
  if (name === undefined) return null
  const read = (ending: string) => readFile(join(folder, `${name}.${ending}`), 'utf8')
  return { mail: JSON.parse(await read('json')) as StoredMail, source: await read('eml') }
}

/** Returns the names of the mails in a folder without their endings, newest first. */
async function namesIn(folder: string): Promise<string[]> {
  const files = await readdir(folder).catch(() => [])
  return files
    .filter((file) => file.endsWith('.json'))
    .map((file) => file.slice(0, -'.json'.length))
    .toSorted()
    .toReversed()
}

/** Returns the folder of `file:///…`. Throws if mails are delivered elsewhere. */
const folderOf = ({ url }: MailSettings) => fileURLToPath(url ?? '')
