import { Command, Option } from 'commander'
import { inOption } from '../nested/in-option.ts'

/** The options of `cli scaffold` that describe the resource. */
export interface ModelOptions {
  readonly plural?: string
  /** The model on whose page the records stand. */
  readonly in?: string
  /** A field, or `none`. */
  readonly owner?: string
  /** The column with the tenant. */
  readonly tenant?: string
  readonly label?: string
  readonly cursor?: string
  readonly publicRead?: boolean
  readonly publicWhen?: string
  readonly api?: boolean
  readonly id?: string
  readonly softDelete?: boolean
  /** Defaults to true for a new resource. */
  readonly version?: boolean
  readonly tests?: boolean
}

/** Adds these options to a command. */
export function modelOptions(command: Command): Command {
  return (
    command
      .option('--plural <name>', 'the plural form, if the generated one is wrong')
      .addOption(inOption)
      .option('--owner <field>', 'the reference to the user who owns a record, or none')
      .option('--tenant <column>', 'the column with the tenant of a record, like account_id')
      .option('--label <field>', 'the field that labels a record')
      .option('--cursor <column>', 'paginate by cursor, ordered by this column, instead of by page numbers')
      .option('--public-read', 'all visitors can read, without signing in')
      .option('--public-when <boolean>', 'all visitors can read records for which this field is true')
      .option('--no-api', 'pages only, no JSON API')
      .option('--id <kind>', 'bigint or uuid')
      .option('--soft-delete', 'keep deleted rows, with the time in deleted_at')
      // For the records of resources. It comes first, so that neither is the default.
      .addOption(new Option('--version').hideHelp())
      .option('--no-version', 'do not detect conflicting edits of two users')
      .option('--no-tests', 'no tests')
  )
}

/** The options with a value, as on the command line. */
const VALUES = {
  plural: '--plural',
  in: '--in',
  owner: '--owner',
  tenant: '--tenant',
  label: '--label',
  cursor: '--cursor',
  publicWhen: '--public-when',
  id: '--id',
} as const

/** The options without a value, and the value that commander sets. `api` is true unless `--no-api` is set. */
const FLAGS = {
  publicRead: ['--public-read', true],
  api: ['--no-api', false],
  softDelete: ['--soft-delete', true],
  version: ['--version', true],
  tests: ['--no-tests', false],
} as const

/** Returns the options that the command line contains. */
export const explicitOptions = (options: object): ModelOptions =>
  Object.fromEntries(Object.entries(options).filter(([name, value]) => isExplicit(name, value)))

const isExplicit = (name: string, value: unknown): boolean =>
  isOf(VALUES, name) || name === 'version'
    ? value !== undefined
    : isOf(FLAGS, name) && value === FLAGS[name][1]

const isOf = <Names extends object>(names: Names, name: PropertyKey): name is keyof Names =>
  Object.hasOwn(names, name)

/** Returns the options as words of a command line, in a fixed order. */
function optionWords(options: ModelOptions): string[] {
  const explicit = explicitOptions(options)
  const values = Object.entries(VALUES).flatMap(([name, option]) => {
    const value = explicit[name as keyof typeof VALUES]
    return value === undefined ? [] : [option, value]
  })
  const flags = Object.entries(FLAGS).flatMap(([name, [option, value]]) =>
    explicit[name as keyof typeof FLAGS] === value ? [option] : [],
  )
  return [...values, ...flags]
}

/** Parses the words of an earlier command line. */
export function askedBy(words: readonly string[]): ScaffoldArguments {
  const command = modelOptions(
    new Command('scaffold').argument('<model>').argument('[field...]'),
  ).exitOverride()
  command.parse([...words], { from: 'user' })
  const [name = '', ...fields] = command.args
  return { name, fields, options: explicitOptions(command.opts()) }
}

/** The arguments of `cli scaffold`. */
export interface ScaffoldArguments {
  readonly name: string
  /** The declarations: `title:string`. */
  readonly fields: readonly string[]
  readonly options: ModelOptions
}

export const wordsOfCommand = ({ name, fields, options }: ScaffoldArguments): string[] => [
  name,
  ...fields,
  ...optionWords(options),
]
