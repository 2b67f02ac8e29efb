import { appendFileSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { destroy } from './destroy-resource.ts'
import { withLinesKept } from './merge-edits.ts'
import { type Step, stepTo } from './step.ts'
import { digestOf } from '../project/file-text.ts'
import type { Project } from './project/project.ts'
import { testProject } from '../test-support/test-project.ts'
import { diffs } from './scaffold-report.ts'
import { scaffold, type ScaffoldFlags } from './scaffold-resource.ts'

const project = await testProject()
const before = project.files()
const quick: Project = { ...project, manifest: () => Promise.resolve(read('security.manifest.json')) }

const TYPE = 'app/gadgets/gadget.ts'
const POLICY = 'app/gadgets/gadget.policy.ts'
const VIEW = 'views/gadgets/index.eta'
const RECORD = 'app/gadgets/scaffold.json'
const INPUT = '    title: field.string({ max: 200 }),\n'
const SORT = "sort: ['title', 'created_at'],"

const at = (path: string) => join(project.root, path)
const read = (path: string) => readFileSync(at(path), 'utf8')

function edit(path: string, from: string, to: string): string {
  const text = read(path)
  expect(text).toContain(from)
  writeFileSync(at(path), text.replace(from, to))
  return read(path)
}

const grow = (fields: string[], flags: ScaffoldFlags = {}) =>
  scaffold(quick, { name: 'gadget', fields, options: {} }, flags)
const stepOf = ({ steps }: { steps: readonly Step[] }, path: string) =>
  steps.find((step) => step.path === path)

beforeEach(async () => {
  await grow(['title:string{1..200}', 'owner:references:user'])
})

/** Removes the resource and restores the files after each test. */
afterEach(async () => {
  vi.unstubAllEnvs()
  if (existsSync(at(RECORD))) await destroy(quick, 'gadget', { force: true })
  const now = project.files()
  for (const path of Object.keys(now)) if (!(path in before)) rmSync(path)
  for (const [path, text] of Object.entries(before)) if (now[path] !== text) writeFileSync(path, text)
})

describe('scaffold of edited files', () => {
  it('merges a new field and keeps every edit', async () => {
    edit(TYPE, 'export const Gadget', '// Only what we sell.\nexport const Gadget')
    const policy = edit(POLICY, 'ctx.userId !== null', "ctx.hasRole('admin')")
    edit(VIEW, '>New gadget</a>', '>Add a gadget</a>')
    const done = await grow(['website:url?'])
    expect(done.steps.map(({ verb }) => verb)).not.toContain('keep')
    expect(stepOf(done, TYPE)).toMatchObject({ verb: 'merge' })
    expect(read(TYPE)).toContain('// Only what we sell.\nexport const Gadget')
    expect(read(TYPE)).toContain('  website: string | null\n')
    expect(read(TYPE)).toContain('website: field.url(')
    expect(stepOf(done, POLICY)).toMatchObject({ verb: 'leave', after: policy })
    expect(read(POLICY)).toBe(policy)
    expect(stepOf(done, VIEW)).toMatchObject({ verb: 'merge' })
    expect(read(VIEW)).toContain('>Add a gadget</a>')
    expect(read(VIEW)).toContain('website')
    expect(diffs(done.steps)).not.toContain(`a/${POLICY}`)
    expect(diffs(done.steps)).not.toContain('-// Only what we sell.')
  })

  it('keeps the edited lines if the merge conflicts, shows the missing ones, and makes the other changes', async () => {
    edit(TYPE, SORT, "sort: ['created_at'],")
    const done = await grow(['rating:integer?'])
    expect(stepOf(done, TYPE)).toMatchObject({ verb: 'keep' })
    expect(read(TYPE)).toMatch(/^ {4}rating: field\.integer\(/m)
    expect(read(TYPE)).toContain("  sort: ['created_at'],")
    const shown = diffs(done.steps.filter(({ verb }) => verb === 'keep'))
    expect(shown.match(/^[-+] .*$/gm)).toEqual([
      "-  sort: ['created_at'],",
      "+  sort: ['title', 'rating', 'created_at'],",
    ])
  })

  it('makes no part of the changes of a policy', () => {
    const conflict = { base: 'a\nb\nc\nd\ne\n', edited: 'mine\nb\nc\nd\ne\n', incoming: 'new\nb\nc\nd\nf\n' }
    const kept = (path: string) =>
      withLinesKept({ ...stepTo(path, conflict.edited, conflict.edited), verb: 'keep', conflict }).after
    expect(kept('app/gadgets/gadget.ts')).toBe('mine\nb\nc\nd\nf\n')
    expect(kept('app/gadgets/gadget.policy.ts')).toBe(conflict.edited)
  })

  it('adds a line next to an edited line', async () => {
    const mine = '    title: field.string({ max: 80 }),\n'
    edit(TYPE, INPUT, mine)
    expect(stepOf(await grow(['website:url?']), TYPE)).toMatchObject({ verb: 'merge' })
    expect(read(TYPE)).toContain(`${mine}    website: field.url(`)
  })

  it('overwrites edited files with --force, even if the field does not change them', async () => {
    edit(TYPE, SORT, 'sort: [],')
    appendFileSync(at(POLICY), '// Mine.\n')
    appendFileSync(at(VIEW), '<p>Mine.</p>\n')
    const done = await grow(['rating:integer?'], { force: true })
    for (const path of [TYPE, POLICY, VIEW]) expect(stepOf(done, path)).toMatchObject({ verb: 'change' })
    expect([TYPE, POLICY, VIEW].map(read).join('')).not.toMatch(/Mine|sort: \[\]/)
  })

  it('merges several times, and keeps edited files in destroy', async () => {
    edit(TYPE, 'export const Gadget', '// Only what we sell.\nexport const Gadget')
    await grow(['website:url?'])
    const second = await grow(['phone:string?'])
    expect(stepOf(second, TYPE)).toMatchObject({ verb: 'merge' })
    for (const part of ['// Only what we sell.', '  website: string | null', '  phone: string | null'])
      expect(read(TYPE)).toContain(part)
    const text = read(TYPE)
    const times = project.times()
    const again = await grow(['phone:string?'])
    expect(new Set(again.steps.map(({ verb }) => verb))).toEqual(new Set(['same', 'leave']))
    expect(project.times()).toEqual(times)
    const gone = await destroy(quick, 'gadget')
    expect(stepOf(gone, TYPE)).toMatchObject({ verb: 'keep' })
    expect(read(TYPE)).toBe(text)
  })

  it('merges after a conflict that was resolved by hand', async () => {
    edit(TYPE, SORT, "sort: ['created_at'],")
    expect(stepOf(await grow(['rating:integer?']), TYPE)).toMatchObject({ verb: 'keep' })
    edit(TYPE, "sort: ['created_at'],", "sort: ['rating', 'created_at'],")
    expect(stepOf(await grow(['note:text?']), TYPE)).toMatchObject({ verb: 'merge' })
    expect(read(TYPE)).toContain("sort: ['rating', 'created_at'],")
    for (const line of ['  rating: number | null\n  note: string | null\n', '    note: field.text('])
      expect(read(TYPE).split(line)).toHaveLength(2)
  })

  it('keeps the line ends of a file', async () => {
    edit(TYPE, 'export const Gadget', '// Only what we sell.\nexport const Gadget')
    const crlf = read(TYPE).replaceAll('\n', '\r\n')
    writeFileSync(at(TYPE), crlf)
    expect(stepOf(await grow(['website:url?']), TYPE)).toMatchObject({ verb: 'merge' })
    expect(read(TYPE)).toContain('// Only what we sell.\r\nexport const Gadget')
    expect(read(TYPE)).toContain('  website: string | null\r\n')
    expect(read(TYPE)).not.toMatch(/[^\r]\n/)
  })

  it.each([
    ['with mixed line ends', (text: string) => Buffer.from(text.replace('\n', '\r\n'))],
    ['with control characters', (text: string) => Buffer.from(`// \u001f\n${text}`)],
    ['that isn’t UTF-8', (text: string) => Buffer.from(`// \u00e9\n${text}`, 'latin1')],
  ])('keeps a file %s, which can’t be written without other changes', async (_, as) => {
    const bytes = as(read(TYPE).replace('export const Gadget', '// Mine.\nexport const Gadget'))
    writeFileSync(at(TYPE), bytes)
    expect(stepOf(await grow(['website:url?']), TYPE)).toMatchObject({ verb: 'keep' })
    expect(readFileSync(at(TYPE))).toEqual(bytes)
  })

  it('keeps the file if the base is unknown or git is missing', async () => {
    appendFileSync(at(TYPE), '// Mine.\n')
    const written = read(RECORD)
    edit(RECORD, digestOf(read(TYPE).replace('// Mine.\n', '')), digestOf('By other templates.'))
    expect(stepOf(await grow(['website:url?'], { dryRun: true }), TYPE)).toMatchObject({ verb: 'keep' })
    writeFileSync(at(RECORD), written)
    expect(stepOf(await grow(['website:url?'], { dryRun: true }), TYPE)).toMatchObject({ verb: 'merge' })
    vi.stubEnv('PATH', '/nowhere')
    expect(stepOf(await grow(['website:url?'], { dryRun: true }), TYPE)).toMatchObject({ verb: 'keep' })
  })

  it('does not change a file to which the field was added by hand', async () => {
    appendFileSync(at(TYPE), '// Mine.\n')
    const { steps } = await grow(['website:url?'], { dryRun: true })
    const merged = steps.find(({ path }) => path === TYPE)?.after ?? ''
    expect(merged).toContain('website')
    writeFileSync(at(TYPE), merged)
    expect(stepOf(await grow(['website:url?']), TYPE)).toMatchObject({ verb: 'leave' })
    expect(read(TYPE)).toBe(merged)
  })

  it('returns the same steps in a dry run, and writes nothing', async () => {
    edit(TYPE, SORT, 'sort: [],')
    appendFileSync(at(POLICY), '// Mine.\n')
    appendFileSync(at(VIEW), '<p>Mine.</p>\n')
    const times = project.times()
    const dry = await grow(['rating:integer?'], { dryRun: true })
    expect(project.times()).toEqual(times)
    const real = await grow(['rating:integer?'])
    const ofFiles = ({ steps }: { steps: readonly Step[] }) =>
      steps.filter(({ path }) => [TYPE, POLICY, VIEW].includes(path))
    expect(ofFiles(dry)).toEqual(ofFiles(real))
    expect(ofFiles(dry).map(({ verb }) => verb)).toEqual(['keep', 'leave', 'merge'])
  })

  it('does not overwrite edited files if only options change', async () => {
    edit(POLICY, 'ctx.userId !== null', "ctx.hasRole('admin')")
    edit(POLICY, 'canShow', 'canShow /* mine */')
    const before = project.files()
    const opened = { name: 'gadget', fields: [], options: { publicRead: true } }
    await expect(scaffold(quick, opened)).rejects.toMatchObject({ code: 3 })
    expect(project.files()).toEqual(before)
  })
})
