import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { z } from 'zod'
import { settingsSchema, SHORT_NAMES } from '#app/config.ts'
import { root } from '../test/tools.ts'
import { codeBlock, tableOf } from './markdown.ts'

/** Returns the page about the settings: config.toml with its comments, and the valid values by the schema. */
export function configurationPage(): string {
  const blocks = readFileSync(join(root, 'app/config.toml'), 'utf8').trim().split('\n\n')
  const textOf = (name: string) =>
    // `[database]`, and `# [[database.shards]]`
    blocks.filter((block) => new RegExp(`^(?:# )?\\[+(?:${name})[.\\]]`, 'm').test(block)).join('\n\n')
  const sections = Object.entries(settingsSchema.shape).flatMap(([name, { shape }]) => [
    `## \`[${name}]\``,
    codeBlock('toml', textOf(name)),
    tableOf([
      ['Setting', 'Valid values'],
      ...Object.entries(shape).map(([key, schema]) => [nameOf(name, key), validValues(schema)]),
    ]),
  ])
  return [
    '# Configuration',
    INTRODUCTION,
    ...sections,
    '## Profiles',
    codeBlock('toml', textOf('development|test|production')),
  ].join('\n\n')
}

const INTRODUCTION =
  'Settings are in [`app/config.toml`](../../app/config.toml), which these blocks show. Sections such as `[production.server]` override the common ones for one profile, which `NODE_ENV` chooses: `development`, `test`, `production`. Environment variables override both: `SECTION__KEY`, such as `SECURITY__FORBIDDEN_RESPONSE=403`, or the short name beside the setting. The server exits with a message if a setting is unknown or invalid.'

/** Returns the name of a setting, and the short name of its variable if it has one. */
function nameOf(section: string, key: string): string {
  const short = [...SHORT_NAMES].find(([, names]) => names.join('.') === `${section}.${key}`)
  return short === undefined ? `\`${key}\`` : `\`${key}\`, \`${short[0]}\``
}

/** Values for each setting to reject. At least one of them is invalid. */
const SAMPLES: readonly unknown[] = ['', 'x', 'x'.repeat(100), 'x,', {}]

/** Returns the part of the error message that describes valid values, as the server prints it. */
function validValues(schema: z.ZodType): string {
  const messages = SAMPLES.flatMap((value) => schema.safeParse(value).error?.issues ?? [])
    .map(({ message }) => message)
    .filter((message) => !message.startsWith('Invalid input'))
  const [longest = ''] = messages.toSorted((one, other) => other.length - one.length)
  return longest
}
