import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { enteredText } from '../code/examples.ts'
import { filesOf } from '../code/files.ts'
import { EMPTY_PROJECT } from '../../test-support/empty-project.ts'
import { readModel } from '../read/read-model.ts'
import { duration } from '../../test-support/duration.ts'
import type { Field } from './field-type.ts'
import { FIELD_TYPES } from './field-types.ts'

const TYPES: typeof FIELD_TYPES = [...FIELD_TYPES, duration]
const modelOf = (...fields: string[]) =>
  readModel({ name: 'workout', fields, options: {} }, EMPTY_PROJECT, TYPES).model
const fieldOf = (declaration: string) => modelOf(`lot:${declaration}`).fields[0] as Field

describe('enteredText', () => {
  it.each([
    ['string', 'Lot 2'],
    ['decimal', '2.00'],
    ['boolean', ''],
    ['date', '2026-01-02'],
    ['time', '09:02'],
    ['datetime', '2026-01-02T09:00'],
    ['json', '{ "example": 2 }'],
    ['url', 'https://example.org/2'],
    ['duration', 'PT2M'],
  ])('returns for a field of type %s: %j', (type, text) => {
    expect(enteredText(fieldOf(type), 2)).toBe(text)
  })
})

describe('invalidText', () => {
  it('returns an empty text for a required field, and a long text for an optional field', () => {
    const [required, optional] = [fieldOf('string'), fieldOf('string{3}?')]
    expect(required.type.invalidText(required)).toBe('')
    expect(optional.type.invalidText(optional)).toBe('xxxx')
  })

  const withDefaults = TYPES.filter(({ schema }) => schema).map(({ name }) => name)
  it.each(withDefaults)('is not a valid default: %s', (name) => {
    const declaration = { enum: 'enum{a,b}', money: 'money{EUR}', states: 'states{a>b}' }[name] ?? name
    const field = fieldOf(declaration)
    expect(() => fieldOf(`${declaration}=${field.type.invalidText(field)}`)).toThrow('default')
  })
})

describe('a new field type', () => {
  it('needs only the file that docs/contributing.md shows', () => {
    const root = join(import.meta.dirname, '../../..')
    const page = readFileSync(join(root, 'docs/contributing.md'), 'utf8')
    const file = readFileSync(join(root, 'cli/test-support/duration.ts'), 'utf8')
    expect(page).toContain(file.replaceAll('../scaffold/field-types/', './'))
  })

  it('occurs in every generated file that contains its fields', async () => {
    const files = await filesOf(modelOf('name', 'pace:duration', 'rest:duration?=PT5M'), {
      migration: 'create',
    })
    const text = (ending: string) => files.find(({ path }) => path.endsWith(ending))?.text
    expect(text('workout.ts')).toContain("pace: z.iso.duration('Use a duration like PT1H30M.'),")
    expect(text('workout.ts')).toContain('rest: Generated<string | null>')
    expect(text('create.ts')).toContain(".addColumn('pace', 'text', (column) => column.notNull())")
    expect(text('create.ts')).toContain("('workouts_pace_format', sql`pace like 'P%'`)")
    expect(text('_form.eta')).toContain("name: 'pace', label: 'Pace', hint: 'Hours, minutes and seconds")
    expect(text('index.eta')).toContain('<%= workout.pace %>')
    expect(text('workout.test.ts')).toContain("['pace', 'half an hour'")
  })

  it('is suggested for its names in other tools', () => {
    expect(() => fieldOf('interval')).toThrow('Did you mean duration?')
  })

  it('accepts only valid defaults and no modifiers that it rejects', () => {
    expect(fieldOf('duration=PT1H')).toMatchObject({ default: 'PT1H' })
    expect(() => fieldOf('duration=one hour')).toThrow('Use a duration like PT1H30M.')
    expect(() => fieldOf('duration{1..5}')).toThrow('has no limits')
  })
})
