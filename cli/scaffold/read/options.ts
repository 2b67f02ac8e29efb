import { Command } from 'commander'

/** The options of `cli scaffold` that say what the resource is like, as commander reads them. */
export interface ModelOptions {
  readonly plural?: string
  /** A field, or `none`. */
  readonly owner?: string
  readonly label?: string
  readonly cursor?: string
  readonly publicRead?: boolean
  readonly publicWhen?: string
  readonly api?: boolean
  readonly id?: string
  readonly softDelete?: boolean
  readonly version?: boolean
  readonly tests?: boolean
}

/** Declares them for a command. */
export function modelOptions(command: Command): Command {
  return command
    .option('--plural <name>', 'what several are called, where it would be guessed wrong')
    .option('--owner <field>', 'the reference to the user whose record it is, or none')
    .option('--label <field>', 'the field by which people know a record')
    .option('--cursor <column>', 'a list without page numbers, in the order of this column')
    .option('--public-read', 'everybody may read, without signing in')
    .option('--public-when <boolean>', 'everybody may read what has this field checked')
    .option('--no-api', 'pages only, no JSON API')
    .option('--id <kind>', 'bigint or uuid')
    .option('--soft-delete', 'deleting keeps the row, with the time in deleted_at')
    .option('--version', 'two people never overwrite each other’s changes')
    .option('--no-tests', 'no tests')
}

/** The options that have a value, and what each is called on a command line. */
const VALUES = {
  plural: '--plural',
  owner: '--owner',
  label: '--label',
  cursor: '--cursor',
  publicWhen: '--public-when',
  id: '--id',
} as const

/** The others, and what each is when it is given: commander says `true` of `--no-api` that isn't. */
const FLAGS = {
  publicRead: ['--public-read', true],
  api: ['--no-api', false],
  softDelete: ['--soft-delete', true],
  version: ['--version', true],
  tests: ['--no-tests', false],
} as const

/** Of what commander gives, what was said on the command line about the resource. */
export const givenOptions = (options: object): ModelOptions =>
  Object.fromEntries(Object.entries(options).filter(([name, value]) => isGiven(name, value)))

const isGiven = (name: string, value: unknown): boolean =>
  isOf(VALUES, name) ? value !== undefined : isOf(FLAGS, name) && value === FLAGS[name][1]

const isOf = <Names extends object>(names: Names, name: PropertyKey): name is keyof Names =>
  Object.hasOwn(names, name)

/** The same as words of a command line, in an order of their own. */
function optionWords(options: ModelOptions): string[] {
  const given = givenOptions(options)
  const values = Object.entries(VALUES).flatMap(([name, option]) => {
    const value = given[name as keyof typeof VALUES]
    return value === undefined ? [] : [option, value]
  })
  const flags = Object.entries(FLAGS).filter(([name]) => isOf(given, name))
  return [...values, ...flags.map(([, [option]]) => option)]
}

/** What the words of an earlier command line asked for. */
export function askedBy(words: readonly string[]): Asked {
  const command = modelOptions(
    new Command('scaffold').argument('<model>').argument('[field...]'),
  ).exitOverride()
  command.parse([...words], { from: 'user' })
  const [name = '', ...fields] = command.args
  return { name, fields, options: givenOptions(command.opts()) }
}

/** A command line: what is to be made. */
export interface Asked {
  readonly name: string
  /** `title:string`, as they were typed. */
  readonly fields: readonly string[]
  readonly options: ModelOptions
}

export const wordsOfCommand = ({ name, fields, options }: Asked): string[] => [
  name,
  ...fields,
  ...optionWords(options),
]
