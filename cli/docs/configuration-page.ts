import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'smol-toml'
import type { z } from 'zod'
import { settingsSchema, SHORT_NAMES } from '#app/config.ts'
import { root } from '../test/tools.ts'
import { tableOf } from './markdown.ts'
import { type SectionText, sectionsOf } from './settings-file.ts'

const PROFILES = ['development', 'test', 'production'] as const

type Values = Record<string, unknown>
type File = Record<string, Values & Record<string, Values>>

/** Returns the page about the settings, from their schema and from the values and comments of config.toml. */
export function configurationPage(): string {
  const toml = readFileSync(join(root, 'app/config.toml'), 'utf8')
  const file = parse(toml) as File
  const texts = sectionsOf(toml)
  const sections = Object.entries(settingsSchema.shape).map(([name, { shape }]) =>
    sectionPart(name, shape, { file, texts }),
  )
  return ['# Configuration', INTRODUCTION, ...sections].join('\n\n')
}

const INTRODUCTION = `Settings are in [\`app/config.toml\`](../../app/config.toml). Sections such as \`[production.server]\` override the common ones for one profile, which \`NODE_ENV\` chooses: \`${PROFILES.join('`, `')}\`. Environment variables override both: \`SECTION__KEY\`, such as \`SECURITY__FORBIDDEN_RESPONSE=403\`, or the short name beside the setting. The server exits with a message if a setting is unknown or invalid.`

interface Source {
  readonly file: File
  readonly texts: readonly SectionText[]
}

function sectionPart(section: string, shape: Readonly<Record<string, z.ZodType>>, source: Source): string {
  const textOf = (name: string) => source.texts.find((text) => text.name === name)
  const own = textOf(section)
  const rows = Object.entries(shape).map(([key, schema]) => [
    nameOf(section, key),
    defaultOf(section, key, source.file),
    expectedBy(schema),
    // A list of tables has a section of its own: [[database.shards]].
    own?.lines.find((line) => line.key === key)?.comment ?? textOf(`${section}.${key}`)?.comment ?? '',
  ])
  return [
    `## \`[${section}]\``,
    ...(own === undefined || own.comment === '' ? [] : [own.comment]),
    tableOf([['Setting', 'Default', 'Expected', 'Meaning'], ...rows]),
  ].join('\n\n')
}

function nameOf(section: string, key: string): string {
  const short = [...SHORT_NAMES].find(([, names]) => names.join('.') === `${section}.${key}`)
  return short === undefined ? `\`${key}\`` : `\`${key}\`, \`${short[0]}\``
}

/** Returns the default, and those of profiles with another one: "`8`; development: `1`". */
function defaultOf(section: string, key: string, file: File): string {
  const common = file[section]?.[key]
  const own = PROFILES.flatMap((profile) => {
    const value = file[profile]?.[section]?.[key]
    return value === undefined ? [] : [`${profile}: ${valueOf(value)}`]
  })
  return [...(common === undefined ? [] : [valueOf(common)]), ...own].join('; ')
}

const valueOf = (value: unknown): string => `\`${JSON.stringify(value)}\``

/** Values for each setting to reject. At least one of them is invalid. */
const SAMPLES: readonly unknown[] = ['', 'x', 'x'.repeat(100), 'x,', {}]

/** Returns the part of the error message that describes valid values, as the server prints it. */
function expectedBy(schema: z.ZodType): string {
  const messages = SAMPLES.flatMap((value) => schema.safeParse(value).error?.issues ?? [])
    .map(({ message }) => message)
    .filter((message) => !message.startsWith('Invalid input'))
  const [longest = ''] = messages.toSorted((one, other) => other.length - one.length)
  return longest
}
