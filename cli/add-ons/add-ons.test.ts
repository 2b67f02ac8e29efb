import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { applyEdit, revertEdit } from '../project/apply-edit.ts'
import { formatted } from '../scaffold/code/render-template.ts'
import { isStarter } from '../test-support/starter.ts'
import { root } from '../test/tools.ts'
import { type AddOn, addOnNamed, namesIn, readAddOn, schema, sourceIn } from './add-on.ts'
import { addedTo, withAddOn, withoutAddOn } from './package-json.ts'

const source = sourceIn(root)
const text = (path: string) => source.text(path)
const all = namesIn(source).map((name) => readAddOn(source, name, 'helpdesk'))

/** The texts of the files that add-ons edit, and package.json. */
type Texts = ReadonlyMap<string, string>

const EDITED: Texts = new Map(
  ['package.json', ...all.flatMap(({ edits }) => [...edits.keys()])].map((path) => [path, text(path)]),
)

function withEdits(texts: Texts, addOn: AddOn): Texts {
  const edits = [...addOn.edits].map(
    ([path, diff]) => [path, applyEdit(texts.get(path) ?? '', diff)] as const,
  )
  return new Map([...texts, ...edits, ['package.json', withAddOn(texts.get('package.json') ?? '', addOn)]])
}

function withoutEdits(texts: Texts, addOn: AddOn, others: readonly AddOn[]): Texts {
  const edits = [...addOn.edits].map(
    ([path, diff]) => [path, revertEdit(texts.get(path) ?? '', diff)] as const,
  )
  const json = withoutAddOn(texts.get('package.json') ?? '', addOn, others)
  return new Map([...texts, ...edits, ['package.json', json]])
}

const pairs = all.flatMap((one) => all.filter((other) => other !== one).map((other) => [one, other] as const))

// In an application, the files can have the edits already.
describe.runIf(isStarter)('the add-ons', () => {
  it.each(all.map((addOn) => [addOn.name, addOn] as const))(
    '%s has a page, and files of its own',
    (_, addOn) => {
      const declared: unknown = JSON.parse(text(`cli/add-ons/${addOn.name}/add-on.json`))
      expect(z.strictObject(schema.shape).safeParse(declared).error).toBeUndefined()
      const page = `cli/add-ons/${addOn.name}/README.md`
      expect(text(page)).toContain(`npx cli add ${addOn.name}`)
      expect(text('docs/add-ons.md')).toContain(`](../${page})`)
      const others = all.filter((other) => other !== addOn)
      for (const path of addOn.files.keys()) {
        expect(existsSync(join(root, path))).toBe(false)
        expect(others.some(({ files }) => files.has(path))).toBe(false)
      }
      for (const needed of addOn.needs) expect(addOnNamed(all, needed).name).toBe(needed)
    },
  )

  it.each(pairs.map(([one, other]) => [one.name, other.name, one, other] as const))(
    '%s and %s edit the same files, and leave them as they were, in any order',
    (_one, _other, one, other) => {
      const both = withEdits(withEdits(EDITED, one), other)
      expect(withoutEdits(withoutEdits(both, one, [other]), other, [])).toEqual(EDITED)
      expect(withoutEdits(withoutEdits(both, other, [one]), one, [])).toEqual(EDITED)
    },
  )

  it('leave formatted files', async () => {
    const edited = [...all.reduce(withEdits, EDITED)].filter(([path]) => /\.(?:ts|js|json|md)$/.test(path))
    const files = await Promise.all(edited.map(([path, text]) => formatted({ path, text })))
    expect(files.map(({ path, text }) => [path, text])).toEqual(edited)
  })

  it('are all added and removed together', () => {
    const added = all.reduce(withEdits, EDITED)
    expect(addedTo(added.get('package.json') ?? '')).toEqual(all.map(({ name }) => name))
    const removed = all.reduce(
      (texts, addOn, index) => withoutEdits(texts, addOn, all.slice(index + 1)),
      added,
    )
    expect(removed).toEqual(EDITED)
  })
})

describe('package.json', () => {
  const addOn = (name: string, ...packages: string[]): AddOn => ({
    name,
    description: '',
    cost: '',
    needs: [],
    views: [],
    remedy: 'Change them first.',
    packages: Object.fromEntries(packages.map((name) => [name, { version: '1.0.0', reason: '' }])),
    files: new Map(),
    edits: new Map(),
  })
  const before = `${JSON.stringify({ name: 'app', dependencies: { a: '3.0.0', z: '1.0.0', c: '1.0.0' }, type: 'module' }, null, 4)}\n`

  it('keeps its form, the order of its keys and packages, and packages that another add-on has', () => {
    const one = withAddOn(before, addOn('one', 'b'))
    expect(Object.keys((JSON.parse(one) as { dependencies: object }).dependencies)).toEqual([
      'a',
      'b',
      'z',
      'c',
    ])
    expect(one).toMatch(/^\{\n {4}"name"[\s\S]*"type": "module",\n {4}"pergola"/)
    const both = withAddOn(one, addOn('other', 'b', 'd'))
    const rest = withoutAddOn(both, addOn('one', 'b'), [addOn('other', 'b', 'd')])
    expect(JSON.parse(rest)).toMatchObject({
      dependencies: { b: '1.0.0', d: '1.0.0' },
      pergola: { addOns: { other: ['d', 'b'] } },
    })
    expect(withoutAddOn(rest, addOn('other', 'b', 'd'), [])).toBe(before)
  })

  it('keeps a package that the application has already, with its version', () => {
    const added = withAddOn(before, addOn('one', 'a', 'b'))
    expect(JSON.parse(added)).toMatchObject({ dependencies: { a: '3.0.0', b: '1.0.0' } })
    expect(withAddOn(added, addOn('one', 'a', 'b'))).toBe(added)
    expect(withoutAddOn(added, addOn('one', 'a', 'b'), [])).toBe(before)
  })

  it('has no dependencies again if it had none, and keeps the record of its origin', () => {
    const released = `${JSON.stringify({ pergola: { version: '0.2.0' } }, null, 2)}\n`
    const added = withAddOn(released, addOn('one', 'b'))
    expect(JSON.parse(added)).toMatchObject({
      dependencies: { b: '1.0.0' },
      pergola: { version: '0.2.0', addOns: { one: ['b'] } },
    })
    expect(withoutAddOn(added, addOn('one', 'b'), [])).toBe(released)
  })
})
