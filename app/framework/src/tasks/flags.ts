import { z } from 'zod'
import type { AnyTask } from './task.ts'

/** A command line flag of a task. */
export interface Flag {
  /** `--since` */
  readonly flag: string
  /** The key of the argument: `since`. */
  readonly key: string
  readonly kind: 'boolean' | 'date' | 'number' | 'path' | 'text'
  readonly isList: boolean
  readonly choices: readonly string[] | null
  readonly isRequired: boolean
  /** Undefined if the argument has no default. */
  readonly default: unknown
  readonly description: string
}

interface Property {
  type?: string | string[]
  format?: string
  enum?: unknown[]
  items?: Property
  anyOf?: Property[]
  default?: unknown
  description?: string
}

/** The names of the flags that the command line defines for tasks. */
const TAKEN = ['help', 'dry-run', 'resume']

/**
 * Returns the flags of a task, read from its schema. Throws if a flag is reserved (`--help`, `--dry-run`,
 * `--resume`) or begins with `--no-`.
 */
export function flagsOf({ name, args }: AnyTask): Flag[] {
  const { properties = {}, required = [] } = z.toJSONSchema(args, { io: 'input', unrepresentable: 'any' })
  return Object.entries(properties).map(([key, property]) => {
    const flag = flagOf(key, property as Property, required.includes(key))
    if (TAKEN.includes(flag.flag.slice(2)))
      throw new Error(`${name}: ${flag.flag} is reserved. Rename the argument ${key}.`)
    // Commander reads `--no-cache` as the negation of `--cache`, whose default would be true.
    if (flag.flag.startsWith('--no-'))
      throw new Error(`${name}: ${flag.flag} is reserved for negation. Give ${key} a positive name.`)
    return flag
  })
}

function flagOf(key: string, property: Property, isRequired: boolean): Flag {
  const isList = property.items !== undefined
  const each = withoutNull(property.items ?? property)
  const kind = kindOf(each)
  return {
    flag: `--${kebab(key)}`,
    key,
    kind,
    isList,
    choices: each.enum?.map(String) ?? null,
    // A boolean flag that is left out is false.
    isRequired: isRequired && kind !== 'boolean',
    default: property.default ?? (kind === 'boolean' && isRequired ? false : undefined),
    description: property.description ?? each.description ?? '',
  }
}

const withoutNull = (property: Property): Property =>
  property.anyOf?.find(({ type }) => type !== 'null') ?? property

function kindOf({ type, format }: Property): Flag['kind'] {
  const types = [type].flat()
  if (types.includes('boolean')) return 'boolean'
  if (types.includes('integer') || types.includes('number')) return 'number'
  return format === 'path' || format === 'date' ? format : 'text'
}

const kebab = (key: string) =>
  key
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1-$2')
    .replaceAll('_', '-')
    .toLowerCase()

/**
 * Returns the text of a flag as the value that its schema expects: a number if the flag takes one and the text is a
 * number, the text otherwise.
 */
export const typedValue = ({ kind }: Flag, text: string): unknown =>
  kind === 'number' && text.trim() !== '' && Number.isFinite(Number(text)) ? Number(text) : text

/** Returns a sentence for each invalid argument, beginning with its flag: `--limit is missing.` */
export function problemsOf(task: AnyTask, args: object): string[] {
  const flags = new Map(flagsOf(task).map((flag) => [flag.key, flag.flag]))
  const { error } = task.args.safeParse(args)
  return (error?.issues ?? []).map(({ path, message }) => {
    const sentence = message.replace(/\.?$/, '.')
    // A rule about several arguments has no path, so that its message gets no flag.
    if (path[0] === undefined) return sentence
    const flag = flags.get(String(path[0])) ?? String(path[0])
    return Object.hasOwn(args, path[0]) ? `${flag}: ${sentence}` : `${flag} is missing.`
  })
}
