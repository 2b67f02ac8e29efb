import { Command, Option } from 'commander'
import { actionOption, type Actions } from '../actions/action-option.ts'
import { editorsOption, type EditorsOption } from '../editors/editors-option.ts'
import { type FromTable, tableOptions } from '../from-table/from-options.ts'
import { NESTED, nestedOptions, type NestedOptions } from '../nested/in-option.ts'

/** The options of `cli scaffold` that describe the resource. */
export interface ModelOptions extends Actions, EditorsOption, FromTable, NestedOptions {
  readonly plural?: string
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
  const named = command.option('--plural <name>', 'the plural form, if the generated one is wrong')
  return (
    tableOptions(editorsOption(actionOption(nestedOptions(named))))
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

/** The options with a value. */
const OWN = ['plural', 'in', 'action', 'owner', 'tenant', 'label', 'cursor', 'publicWhen', 'id'] as const
const VALUES = [...OWN, 'editors', 'fromTable', 'otherColumns'] as const

/** The options without a value, and the value that commander sets. `api` is true unless `--no-api` is set. */
const SET = { ...NESTED, publicRead: true, api: false, softDelete: true, version: true, tests: false }
const FLAGS = new Map(Object.entries(SET))

/** Returns an option as on the command line: `--soft-delete`, `--no-api`. */
export const optionNamed = (name: string, value: unknown): string =>
  `--${value === false ? 'no-' : ''}${name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`

/** Returns the options that the command line contains. */
export const explicitOptions = (options: object): ModelOptions =>
  Object.fromEntries(Object.entries(options).filter(([name, value]) => isExplicit(name, value)))

const isExplicit = (name: string, value: unknown): boolean =>
  value !== undefined &&
  (name === 'version' || VALUES.some((one) => one === name) || FLAGS.get(name) === value)

/** Returns the options as words of a command line, in a fixed order. */
function optionWords(options: ModelOptions): string[] {
  const explicit = new Map<string, unknown>(Object.entries(explicitOptions(options)))
  const values = VALUES.flatMap((name) =>
    options[name] === undefined ? [] : [optionNamed(name, true), options[name]],
  )
  const flags = [...FLAGS].filter(([name, value]) => explicit.get(name) === value)
  return [...values, ...flags.map(([name, value]) => optionNamed(name, value))]
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
