import { createTwoFilesPatch, diffLines } from 'diff'
import type { Destroyed } from './destroy-resource.ts'
import type { Field } from './field-types/field-type.ts'
import type { Model } from './model.ts'
import type { Step } from './step.ts'
import { isUnreviewed } from './project/manifest-step.ts'
import { pathOfScaffold } from './project/record.ts'
import { linesOf, sameText, unix } from '../project/file-text.ts'
import type { Scaffolded } from './scaffold-resource.ts'

const WIDTH = 8

/** Returns a line for each file, with the verb and the size of the change. */
export function filesInWords(steps: readonly Step[]): string[] {
  const widest = Math.max(...steps.map(({ path }) => path.length))
  return steps.map((step) => line(step.verb, step.path.padEnd(widest), sizeOf(step)))
}

const line = (verb: string, object: string, note = ''): string =>
  `${verb.padStart(WIDTH)}  ${object}  ${note}`.trimEnd()

/** Returns the number of lines of a new file, or the numbers of added and removed lines. */
function sizeOf({ verb, before, after }: Step): string {
  if (verb === 'create') return String(linesOf(after ?? '')).padStart(4)
  if (!['change', 'merge'].includes(verb) || before === after) return ''
  const parts = diffLines(unix(before ?? ''), unix(after ?? ''))
  const count = (kind: 'added' | 'removed') =>
    parts.filter((part) => part[kind]).reduce((sum, part) => sum + part.count, 0)
  return `  +${count('added')} -${count('removed')}`
}

export function scaffoldInWords(result: Scaffolded, port: number): string {
  const { model, steps, migrations, dryRun } = result
  const { names, label, owner, parent } = model
  const head = [
    `table ${names.table}`,
    `${parent ? `/${parent.model.names.folder}/:${parent.field.column}` : ''}/${names.folder}`,
    `label ${label?.column ?? 'id'}`,
    `owner ${owner?.column ?? 'none'}`,
  ]
  const ran = migrations.map((name) =>
    result.migrated
      ? line('migrate', name, `${result.milliseconds} ms`)
      : line('pending', name, dryRun ? '' : 'npx cli db migrate'),
  )
  return [
    `${names.human} -> ${head.join(' · ')}`,
    ...filesInWords(steps),
    ...ran,
    ...(result.seeded ? [line('seed', names.table)] : []),
    ...(dryRun
      ? ['Dry run: no files were written.']
      : [
          'Next',
          ...nextSteps(result, port).map(
            ({ verb, object, note }) => `  ${verb}  ${object}${note ? `  (${note})` : ''}`,
          ),
        ]),
  ].join('\n')
}

export interface Next {
  readonly verb: string
  readonly object: string
  readonly note: string
}

/** Returns the next steps for the user. */
export function nextSteps({ model, steps, seeded, places = [] }: Scaffolded, port: number): Next[] {
  const { names } = model
  const isNew = steps.some(({ path, verb }) => verb === 'create' && path === pathOfScaffold(names))
  const edited = steps.filter(({ verb }) => verb === 'keep')
  const undo = {
    verb: 'undo',
    object: `npx cli destroy ${names.file}${seeded ? ' --force' : ''}`,
    note: seeded ? 'deletes the seeded rows too' : '',
  }
  return [
    ...edited.map(({ path }) => ({
      verb: 'edit',
      object: path,
      note: 'you edited these lines: add what the diff above adds by hand, or overwrite the file with --force',
    })),
    ...places.map((object) => ({ verb: 'look', object, note: '' })),
    { verb: 'edit', object: `app/${names.folder}/${names.file}.policy.ts`, note: rulesInWords(model) },
    ...(isUnreviewed(steps) ? [REVIEW] : []),
    ...(model.softDelete
      ? [{ verb: 'read', object: 'docs/resources.md', note: 'how to list and restore deleted records' }]
      : []),
    ...(model.tests
      ? [{ verb: 'test', object: `npm test -- app/${names.folder} e2e/${names.folder}.spec.ts`, note: '' }]
      : []),
    // `destroy` does not undo a change of an existing resource.
    ...(isNew ? [undo] : []),
    {
      verb: 'open',
      object: `http://localhost:${port}/${(model.parent?.model ?? model).names.folder}`,
      note: 'or the port that npm run dev printed',
    },
  ]
}

const REVIEW: Next = {
  verb: 'review',
  object: 'npx cli routes audit --check',
  note: 'security.manifest.json also differs from the code in other parts',
}

function rulesInWords({ names, owner, readers, editors, ...model }: Model): string {
  const parent = model.parent ?? model.within
  const above = parent?.model.names.human
  const others = parent && owner === null ? `users who may edit the ${above}` : 'admins'
  const named = [owner, editors].flatMap((field) => (field ? [`the ${field.name}`] : []))
  const writers = new Intl.ListFormat('en').format([...named, others])
  if (parent) return `its rules: users who see the ${above} see its ${names.humans}, ${writers} can write`
  if (readers === 'everybody') return `its rules: all visitors can read, ${writers} can write`
  if (typeof readers === 'object')
    return `its rules: all visitors can read if ${readers.when.name} is true; ${writers} can read and write`
  return `its rules: ${named.length === 0 ? 'signed-in users can read, admins can write' : `${writers} can read and write`}`
}

/** Returns the diff of each file. For `keep`, returns the diff that could not be merged. */
export function diffs(steps: readonly Step[]): string {
  return steps
    .map(({ path, verb, before, after, generated, base, wanted = generated }) =>
      verb === 'keep' ? { path, from: base ?? before, to: wanted } : { path, from: before, to: after },
    )
    .filter(({ from, to }) => !sameText(from, to))
    .map(({ path, from, to }) => {
      const [old, now] = [from === null ? '/dev/null' : `a/${path}`, to === null ? '/dev/null' : `b/${path}`]
      const patch = createTwoFilesPatch(old, now, unix(from ?? ''), unix(to ?? ''), '', '')
      return patch.replace(/^=+\n/, '').trimEnd()
    })
    .join('\n')
}

export function destroyInWords({ names, steps, table, dryRun }: Destroyed): string {
  const tableLine = {
    'rolled back': line(dryRun ? 'drop' : 'dropped', `table ${names.table}`, 'its migration is rolled back'),
    'never run': line('', `table ${names.table} was never created`),
    gone: line('', `table ${names.table} no longer exists`),
    dropped: line(dryRun ? 'drop' : 'dropped', `table ${names.table}`, 'by a new migration'),
    kept: line('', `table ${names.table} stays`),
  }
  const next = [
    ...steps
      .filter(({ verb }) => verb === 'keep')
      .map(({ path }) => `  keep or delete  ${path}  (edited by hand; --force removes it)`),
    ...(isUnreviewed(steps) ? [`  ${REVIEW.verb}  ${REVIEW.object}  (${REVIEW.note})`] : []),
  ]
  return [
    `${names.human} -> removed`,
    ...filesInWords(steps),
    tableLine[table],
    ...(dryRun ? ['Dry run: no files were written.'] : []),
    ...(next.length > 0 ? ['Next', ...next] : []),
  ].join('\n')
}

/** Returns a field for the JSON output. */
export const plainField = ({ target, ...field }: Field): object => ({
  ...field,
  type: field.type.name,
  ...(target && { references: target.names.table }),
})
