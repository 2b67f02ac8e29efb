import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { flagsOf, problemsOf, typedValue } from './flags.ts'
import { pathArgument, task } from './task.ts'

const flags = (args: z.ZodObject) =>
  flagsOf(task('work', { description: '', args, run: () => Promise.resolve() }))

describe('flagsOf', () => {
  it('derives the flags from the keys, in camel case or snake case', () => {
    const args = z.object({ noteId: z.string(), note_id2: z.string(), since: z.string() })
    expect(flags(args).map(({ flag }) => flag)).toEqual(['--note-id', '--note-id2', '--since'])
  })

  it('reads the properties of each flag from its schema', () => {
    const args = z.object({
      since: z.iso.date().optional().describe('from this day'),
      count: z.int().min(1).default(5),
      share: z.number().nullable().optional(),
      force: z.boolean(),
      keep: z.boolean().default(true),
      role: z.enum(['admin', 'editor']),
      tags: z.array(z.string()).optional(),
      file: pathArgument(),
    })
    expect(flags(args)).toMatchObject([
      { kind: 'date', isRequired: false, description: 'from this day' },
      { kind: 'number', isRequired: false, default: 5 },
      { kind: 'number', isRequired: false },
      { kind: 'boolean', isRequired: false, default: false },
      { kind: 'boolean', default: true },
      { kind: 'text', choices: ['admin', 'editor'], isRequired: true },
      { kind: 'text', isList: true, isRequired: false },
      { kind: 'path', isRequired: true },
    ])
  })

  it.each(['dryRun', 'resume', 'help'])('rejects %s, which is reserved', (key) => {
    expect(() => flags(z.object({ [key]: z.string() }))).toThrow('is reserved')
  })

  it('rejects a flag that begins with --no-', () => {
    expect(() => flags(z.object({ noCache: z.boolean() }))).toThrow('--no-cache is reserved for negation')
  })
})

describe('problemsOf', () => {
  it('returns the message of a rule about several arguments without a flag', () => {
    const args = z
      .object({ from: z.int().optional(), count: z.int().refine((n) => n < 3, 'Use 1..2.') })
      .refine(({ from }) => from !== undefined, 'Say where to begin.')
    const paged = task('paged', { description: '', args, run: () => Promise.resolve() })
    expect(problemsOf(paged, { count: 1 })).toEqual(['Say where to begin.'])
    expect(problemsOf(paged, { from: 1, count: 7 })).toEqual(['--count: Use 1..2.'])
  })

  const work = task('work', {
    description: '',
    args: z.object({ since: z.iso.date().optional(), noteId: z.int() }),
    run: () => Promise.resolve(),
  })

  it('returns a sentence for each invalid argument, with its flag', () => {
    expect(problemsOf(work, { since: 'monday' })).toEqual([
      '--since: Invalid ISO date.',
      '--note-id is missing.',
    ])
    expect(problemsOf(work, { noteId: 7 })).toEqual([])
  })
})

describe('typedValue', () => {
  const [flag] = flags(z.object({ n: z.number() }))
  if (flag === undefined) throw new Error('No flag.')

  it.each([
    ['7', 7],
    ['-1.5', -1.5],
    ['', ''],
    ['seven', 'seven'],
  ])('reads %j as a number if possible', (text, value) => {
    expect(typedValue(flag, text)).toBe(value)
  })
})

describe('task', () => {
  const run = () => Promise.resolve()

  it('rejects invalid names and schedules, and a schedule with a required argument', () => {
    expect(() => task('Recount notes', { description: '', run })).toThrow('lower-case letters')
    expect(() => task('work', { description: '', schedule: 'daily', run })).toThrow('five fields')
    const args = z.object({ file: z.string() })
    expect(() => task('work', { description: '', args, schedule: '0 3 * * *', run })).toThrow(
      'Give each argument a default',
    )
  })
})
