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

/** Whether a flag was given, and not what it is without being given. */
const GIVEN = {
  publicRead: (value: unknown) => value === true,
  api: (value: unknown) => value === false,
  softDelete: (value: unknown) => value === true,
  version: (value: unknown) => value === true,
  tests: (value: unknown) => value === false,
}

/** Of what commander gives, what was said on the command line about the resource. */
export function givenOptions(options: object): ModelOptions {
  const values = ['plural', 'owner', 'label', 'cursor', 'publicWhen', 'id']
  const isGiven = ([name, value]: [string, unknown]) =>
    values.includes(name) ? value !== undefined : (GIVEN[name as keyof typeof GIVEN]?.(value) ?? false)
  return Object.fromEntries(Object.entries(options).filter(isGiven))
}

/** The same as words of a command line, in an order of their own. */
export function optionWords(options: ModelOptions): string[] {
  const values = [
    ['--plural', options.plural],
    ['--owner', options.owner],
    ['--label', options.label],
    ['--cursor', options.cursor],
    ['--public-when', options.publicWhen],
    ['--id', options.id],
  ].flatMap(([name = '', value]) => (value === undefined ? [] : [name, value]))
  const flags = [
    ['--public-read', options.publicRead === true],
    ['--no-api', options.api === false],
    ['--soft-delete', options.softDelete === true],
    ['--version', options.version === true],
    ['--no-tests', options.tests === false],
  ] as const
  return [...values, ...flags.filter(([, given]) => given).map(([name]) => name)]
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
