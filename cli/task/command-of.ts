import { Command, Option } from 'commander'
import { type AnyTask, type Flag, flagsOf, problemsOf, typedValue } from 'pergola/tasks'
import { givenPath } from '../called-from.ts'
import { Exit, EXIT } from '../exit.ts'

/** What was said on the command line of a task. */
export interface Given {
  /** As text and numbers, without defaults: what the history shows, and a continued run is given again. */
  readonly args: Record<string, unknown>
  readonly dryRun: boolean
  readonly resume: boolean
}

type Values = Record<string, unknown>

/** Reads the flags of a task, or shows its help. Throws what ends the command when they are wrong, all problems at once. */
export function parseFlags(task: AnyTask, words: readonly string[]): Given {
  const flags = flagsOf(task)
  const command = commandOf(task, flags)
  command.parse(words, { from: 'user' })
  const values = command.opts<Values>()
  const args = argsOf(flags, values)
  const given = { args, dryRun: values['dryRun'] === true, resume: values['resume'] === true }
  if (given.resume) refuseOthers(command)
  else refuseProblems(task, args)
  return given
}

function commandOf(task: AnyTask, flags: readonly Flag[]): Command {
  const command = new Command(`npx cli task ${task.name}`)
    .description(task.description)
    .usage([...flags.filter(({ isRequired }) => isRequired).map(usageOf), '[options]'].join(' '))
    .exitOverride()
    .showHelpAfterError(seeHelp(task))
  for (const flag of flags) command.addOption(optionOf(flag))
  if (task.dryRun) command.option('--dry-run', 'say what would be done, and do nothing')
  command.option('--resume', 'go on where the last run stopped, with the arguments it had')
  if (task.schedule !== null)
    command.addHelpText('after', `\nUnder cli worker it runs at ${task.schedule} (UTC).`)
  return command
}

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

/** One that is on by default is there to be switched off. */
const nameOf = ({ flag, default: value }: Flag) => (value === true ? `--no-${flag.slice(2)}` : flag)

const PLACEHOLDERS = { boolean: '', date: ' <date>', number: ' <number>', path: ' <file>', text: ' <text>' }
const usageOf = (flag: Flag) => `${flag.flag}${PLACEHOLDERS[flag.kind]}`

function argsOf(flags: readonly Flag[], values: Values): Record<string, unknown> {
  const given = flags.flatMap((flag) => {
    const value =
      values[optionOf(flag).attributeName()] ?? (flag.kind === 'boolean' ? flag.default : undefined)
    return value === undefined ? [] : [[flag.key, meant(flag, value)] as const]
  })
  return Object.fromEntries(given)
}

function meant(flag: Flag, value: unknown): unknown {
  if (Array.isArray(value)) return value.map((one) => meant(flag, one))
  if (typeof value !== 'string') return value
  // No path at all is the schema's to refuse, and not the folder that somebody is in.
  return flag.kind === 'path' && value !== '' ? givenPath(value) : typedValue(flag, value)
}

function refuseOthers(command: Command): void {
  const others = command.options.filter(
    (option) =>
      option.attributeName() !== 'resume' && command.getOptionValueSource(option.attributeName()) === 'cli',
  )
  if (others.length === 0) return
  const names = others.map(({ long }) => long).join(', ')
  throw new Exit(EXIT.usage, `--resume goes on with the arguments that the run had: leave out ${names}.`)
}

function refuseProblems(task: AnyTask, args: Record<string, unknown>): void {
  const problems = problemsOf(task, args)
  if (problems.length === 0) return
  throw new Exit(EXIT.usage, [...problems, seeHelp(task)].join('\n'))
}
