import { capital, type Names } from '../read/names.ts'

export interface Renaming {
  readonly was: Names
  readonly names: Names
  /** The new names of the exports of the resource's files, by their old names, such as `makeTicket`. */
  readonly exported: ReadonlyMap<string, string>
}

type Rule = readonly [pattern: string, name: string | null]

/** Returns the renaming of a resource whose files have these texts. */
export function renamingOf(was: Names, names: Names, texts: readonly string[]): Renaming {
  const exported = texts.flatMap((text) => [...text.matchAll(EXPORT)].map(([, name = '']) => name))
  const rules: Rule[] = [
    [`^${was.type}$`, names.type],
    [`^${was.many}(?=$|[A-Z])`, names.many],
    [`^${was.one}(?=[A-Z])`, names.one],
    [within(was.resource), names.resource],
    [within(capital(was.many)), capital(names.many)],
  ]
  return { was, names, exported: new Map(exported.map((name) => [name, replaced(name, rules)])) }
}

const EXPORT = /^export (?:async )?(?:const|function\*?|class|type|interface|enum) (\w+)/gm

const within = (name: string): string => String.raw`(?<![A-Z])${name}(?![a-z\d])`

/** Returns a path or text with the new names in paths, and where the old one stands alone. */
export const renamedIn = (text: string, { was, names }: Renaming): string =>
  replaced(text, [
    [String.raw`(?<=/)${was.folder}(?![\w.-])|(?<=['"\x60])${was.folder}(?=/)`, names.folder],
    [String.raw`(?<=/)${was.file}(?=\.)`, names.file],
    [String.raw`(?<=[([]['"])${was.table}(?=['"])|(?<=['"])${was.table}(?=\.\w)`, names.table],
    [`(?<=^<!-- /?)${was.folder}(?= -->)`, names.folder],
    [`(?<=['"])${was.titles}(?=['"])`, names.titles],
    [`(?<=['"])${was.resource}(?=['"])`, names.resource],
  ])

/**
 * Returns a file with the new names of a resource, of its files and of their exports. In a view with a record as data, also
 * that of its variable. Sentences in quotes keep their words.
 */
export function renamedCode(path: string, code: string, renaming: Renaming, hasRecord: boolean): string {
  const { was, names, exported } = renaming
  // A property may be called like the repository.
  const property = String.raw`(?<!\.)\.${was.many}\b|\b${was.many}(?=:)`
  const rules: Rule[] = [
    [String.raw`'[^'\n]*'|"[^"\n]*"|-${was.many}\b|\b${was.many}-|${property}`, null],
    ...[...exported].map(([name, after]): Rule => [String.raw`\b${name}\b`, after]),
  ]
  const variable: Rule = [String.raw`(?<!\w|(?<!\.|\bit)\.)${was.record}(?!\w|:)`, names.record]
  const text = renamedIn(code, renaming)
  if (path.endsWith('.eta'))
    return text.replaceAll(/<%[^]*?%>/g, (tag) => replaced(tag, hasRecord ? [...rules, variable] : rules))
  return /\.[cm]?[jt]s$/.test(path) ? replaced(text, rules) : text
}

function replaced(text: string, rules: readonly Rule[]): string {
  const all = new RegExp(rules.map(([pattern]) => `(${pattern})`).join('|'), 'gm')
  return text.replaceAll(all, (found: string, ...groups: unknown[]) => {
    const at = groups.findIndex((group) => group !== undefined)
    return rules[at]?.[1] ?? found
  })
}
