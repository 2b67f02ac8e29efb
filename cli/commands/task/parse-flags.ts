import { Command, Option } from 'commander'
import { type AnyTask, type Flag, flagsOf, problemsOf, typedValue } from 'pergola/tasks'
import { callerPath } from '../../caller-folder.ts'
import { Exit, EXIT } from '../../exit.ts'
import { SHARD } from '../../shard-option.ts'

/** The parsed command line of a task. */
export interface TaskFlags {
  /** The arguments of the user, without default values. The history stores them, and a resumed run uses them again. */
  readonly args: Record<string, unknown>
  readonly dryRun: boolean
  readonly resume: boolean
}

interface ParsedFlags extends TaskFlags {
  /** Undefined without `--shard`, and for a task that has such a flag of its own. */
  readonly shard: string | undefined
}

type Values = Record<string, unknown>

/** Parses the flags of a task, or shows its help. Throws one error with all problems. */
export function parseFlags(task: AnyTask, words: readonly string[]): ParsedFlags {
  const flags = flagsOf(task)
  const command = commandOf(task, flags)
  command.parse(words, { from: 'user' })
  const values = command.opts<Values>()
  const args = argsOf(flags, values)
  const parsed = {
    args,
    dryRun: values['dryRun'] === true,
    resume: values['resume'] === true,
    shard: hasOwnShard(flags) ? undefined : (values['shard'] as string | undefined),
  }
  if (parsed.resume) assertNoOtherFlags(command, hasOwnShard(flags) ? ['resume'] : ['resume', 'shard'])
  else assertValid(task, args)
  return parsed
}

function commandOf(task: AnyTask, flags: readonly Flag[]): Command {
  const command = new Command(`npx cli task ${task.name}`)
    .description(task.description)
    .usage([...flags.filter(({ isRequired }) => isRequired).map(usageOf), '[options]'].join(' '))
    .exitOverride()
    .showHelpAfterError(seeHelp(task))
  for (const flag of flags) command.addOption(optionOf(flag))
  if (task.dryRun) command.option('--dry-run', 'print the changes without making them')
  // In front of the name, it is an option of `npx cli task`.
  if (!hasOwnShard(flags)) command.option(...SHARD)
  command.option('--resume', 'continue the last interrupted run, with its arguments')
  if (task.schedule !== null)
    command.addHelpText('after', `\nSchedule in cli worker: ${task.schedule} (UTC).`)
  return command
}

const hasOwnShard = (flags: readonly Flag[]): boolean => flags.some(({ flag }) => flag === '--shard')

function optionOf(flag: Flag): Option {
  if (flag.kind === 'boolean') return new Option(nameOf(flag), flag.description)
  const notes = [
    flag.description,
    flag.isRequired ? '(required)' : '',
    flag.isList ? '(may be repeated)' : '',
  ]
  const option = new Option(usageOf(flag), notes.filter(Boolean).join(' '))
  if (flag.default !== undefined) option.default(undefined, JSON.stringify(flag.default))
  if (flag.choices !== null) option.choices(flag.choices)
  if (!flag.isList) return option
  const parseOne = option.parseArg
  return option.argParser((text, before) => [
    ...((before as unknown[] | undefined) ?? []),
    parseOne === undefined ? text : parseOne(text, undefined),
  ])
}

const seeHelp = ({ name }: AnyTask) => `See npx cli task ${name} --help.`

/** Returns the name of a flag. A boolean that defaults to true has the form `--no-…`. */
const nameOf = ({ flag, default: value }: Flag) => (value === true ? `--no-${flag.slice(2)}` : flag)

const PLACEHOLDERS = { boolean: '', date: ' <date>', number: ' <number>', path: ' <file>', text: ' <text>' }
const usageOf = (flag: Flag) => `${flag.flag}${PLACEHOLDERS[flag.kind]}`

function argsOf(flags: readonly Flag[], values: Values): Record<string, unknown> {
  const entries = flags.flatMap((flag) => {
    const value =
      values[optionOf(flag).attributeName()] ?? (flag.kind === 'boolean' ? flag.default : undefined)
    return value === undefined ? [] : [[flag.key, convert(flag, value)] as const]
  })
  return Object.fromEntries(entries)
}

function convert(flag: Flag, value: unknown): unknown {
  if (Array.isArray(value)) return value.map((one) => convert(flag, one))
  if (typeof value !== 'string') return value
  // An empty path must not become the caller's folder: the schema rejects it.
  return flag.kind === 'path' && value !== '' ? callerPath(value) : typedValue(flag, value)
}

function assertNoOtherFlags(command: Command, allowed: readonly string[]): void {
  const others = command.options.filter(
    (option) =>
      !allowed.includes(option.attributeName()) &&
      command.getOptionValueSource(option.attributeName()) === 'cli',
  )
  if (others.length === 0) return
  const names = others.map(({ long }) => long).join(', ')
  throw new Exit(EXIT.usage, `--resume uses the arguments of the interrupted run. Omit ${names}.`)
}

function assertValid(task: AnyTask, args: Record<string, unknown>): void {
  const problems = problemsOf(task, args)
  if (problems.length === 0) return
  throw new Exit(EXIT.usage, [...problems, seeHelp(task)].join('\n'))
}
