import { unix } from '../../project/file-text.ts'
import { mergeJson } from './merge-json.ts'

/**
 * The parts of a setting or heading, which merge separately: `above`, the lines before it; `key`; its `value`, or its `example` if it is commented out;
 * `note`, a comment after it; `below`, its other lines.
 */
type Line = Record<string, string>

/** The lines of each table by their keys, that of its heading first. */
type Tables = Record<string, Record<string, Line>>

interface Merged {
  readonly text: string
  /** The settings that both sides changed differently, like `server.port`. Those of the application are kept. */
  readonly conflicts: readonly string[]
}

/** Merges TOML by setting. Returns null for a text that reading and writing would change, such as one with a setting twice. */
export function mergeToml(texts: Readonly<Record<'base' | 'ours' | 'theirs', string>>): Merged | null {
  const [base, ours, theirs] = [texts.base, texts.ours, texts.theirs].map(tablesIn)
  if (!base || !ours || !theirs) return null
  const { value, conflicts } = mergeJson({ base, ours, theirs })
  return { text: textOf(value as Tables), conflicts: [...new Set(conflicts.map(nameOf))] }
}

const nameOf = (path: string): string =>
  path
    .replace(/\.(?:above|key|value|example|note|below)$/, '')
    .replaceAll(/^\.|\.$/g, '')
    .trim() || 'its last lines'

const HEADING = /^\[([^[\]]+)\]\s*(?:#.*)?$/

/** `port = 3000   # a note`, or `# port = 3000`, an example. */
const SETTING =
  /^(# )?((?:[\w-]+|"[^"]*")(?:\.(?:[\w-]+|"[^"]*"))*)( *= *)((?:"(?:[^"\\]|\\.)*"|'[^']*'|[^#"'])*?)(\s+#.*)?$/

const HEAD = ''

/** After the last table. */
const END = '\n'

function tablesIn(given: string): Tables | null {
  const text = given === '' ? '' : unix(given).replace(/\n?$/, '\n')
  const tables = parsed(text)
  return tables !== null && textOf(tables) === text ? tables : null
}

function parsed(text: string): Tables | null {
  if (/^\[\[/m.test(text) || text.startsWith('\uFEFF')) return null
  let lines: Record<string, Line> = {}
  const tables: Tables = { '': lines }
  let above = ''
  let last: Line = {}
  for (const line of text.split('\n').slice(0, -1)) {
    const [, table] = HEADING.exec(line) ?? []
    const [, isExample, name, equals = '', value = '', note = ''] = SETTING.exec(line) ?? []
    if (table === undefined && name === undefined) {
      if (/^(?:\s+\S|\])/.test(line)) last.below = `${last.below ?? ''}${line}\n`
      else above += `${line}\n`
      continue
    }
    if (table === undefined ? Object.hasOwn(lines, name ?? '') : Object.hasOwn(tables, table)) return null
    if (table !== undefined) tables[table] = lines = {}
    last =
      table !== undefined
        ? { above, value: line }
        : { above, key: `${name}${equals}`, [isExample === undefined ? 'value' : 'example']: value, note }
    lines[name ?? HEAD] = last
    above = ''
  }
  return { ...tables, [END]: { [HEAD]: { above } } }
}

const textOf = (tables: Tables): string =>
  Object.values(tables)
    .flatMap((lines) => Object.values(lines))
    .map(({ above = '', key = '', value, example, note = '', below = '' }) => {
      const shown = value ?? example
      return shown === undefined
        ? above
        : `${above}${value === undefined ? '# ' : ''}${key}${shown}${note}\n${below}`
    })
    .join('')
