import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { destroy } from './destroy-resource.ts'
import type { Target } from './field-types/field-type.ts'
import { namesOf } from './read/names.ts'
import type { ScaffoldArguments } from './read/options.ts'
import { type TestProject, testProject } from '../test-support/test-project.ts'
import { readModel } from './read/read-model.ts'
import { scaffold } from './scaffold-resource.ts'

const empty = await testProject()
await scaffold(empty, { name: 'note', fields: ['title', 'owner:references:user'], options: {} })
const note: Target = { names: namesOf('note'), label: 'title', id: 'bigint', isUser: false, isSelf: false }
const { targets, ...names } = await empty.existing()
const existing = { ...names, targets: [...targets, note] }
const project: TestProject = { ...empty, existing: () => Promise.resolve(existing) }
const [files, catalog] = [project.files(), await project.catalog()]

const word = fc.stringMatching(/^[a-z]{2,7}$/)
const name = fc.tuple(word, word).map((words) => words.join('_'))
const TYPES = [
  'string',
  'string{3..120}',
  'text',
  'integer{-5..5}',
  'bigint',
  'decimal{10,3}',
  'float',
  'date',
  'time',
  'datetime',
  'uuid',
  'json',
  'email',
  'url',
  'slug',
  'enum{new,old}',
  'references:user',
  'references:note',
]
const field = fc
  .record({
    name,
    type: fc.constantFrom(...TYPES),
    modifiers: fc.subarray(['?', ':unique', ':index', ':private']),
  })
  .map(({ name, type, modifiers }) => `${name}:${type}${modifiers.join('')}`)
const special = fc.constantFrom(
  'done:boolean',
  'open:boolean=true',
  'parent:references:self?{null}',
  'level:integer=1',
)
const command: fc.Arbitrary<ScaffoldArguments> = fc.record({
  name,
  fields: fc.tuple(fc.array(field, { maxLength: 6 }), fc.uniqueArray(special)).map((lists) => lists.flat()),
  options: fc.record(
    {
      publicRead: fc.constant(true),
      id: fc.constantFrom('uuid', 'bigint'),
      softDelete: fc.constant(true),
      version: fc.constant(true),
      cursor: fc.constant('created_at'),
      api: fc.constant(false),
      tests: fc.constant(false),
    },
    { requiredKeys: [] },
  ),
})

/** Generates only command lines that are valid. */
const accepted = command
  .map((args) => ({
    ...args,
    fields: args.fields.filter((field) => isAccepted({ ...args, fields: [field] })),
  }))
  .filter(isAccepted)

function isAccepted(args: ScaffoldArguments): boolean {
  try {
    return readModel(args, existing).model.fields.length > 0
  } catch {
    return false
  }
}

/** Ignores the error about a field that the table can't get. */
function refusedAsWrong(error: { code?: number }): void {
  if (error.code !== 2) throw error as Error
}

describe('destroy', () => {
  it('is the inverse of scaffold for any model: files, list, manifest and database', async () => {
    await fc.assert(
      fc.asyncProperty(accepted, fc.option(field), async (args, more) => {
        const { steps } = await scaffold(project, args)
        expect(steps.filter(({ verb }) => verb === 'create').length).toBeGreaterThan(11)
        expect(await project.catalog()).not.toEqual(catalog)
        const growing = { name: args.name, fields: more === null ? [] : [more], options: {} }
        await scaffold(project, growing).catch(refusedAsWrong)
        expect(await destroy(project, args.name)).toMatchObject({ table: 'rolled back' })
        expect(project.files()).toEqual(files)
        expect(await project.catalog()).toEqual(catalog)
      }),
      // After a failure, the resource still exists, so that smaller examples would fail too.
      { numRuns: 4, endOnFailure: true },
    )
  })
})
