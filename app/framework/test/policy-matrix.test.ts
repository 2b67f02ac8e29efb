import { describe, expect, it } from 'vitest'
import { contextOf, policy } from 'pergola'
import { expectAnswers } from '../testing/policy-matrix.ts'
import { policyMatrix } from 'pergola/testing'
import { Note } from './fixtures/note.ts'

const publishing = policy(Note, { canShow: () => true, canPublish: (ctx) => ctx.userId === 1 })
const guest = contextOf(null)
const member = contextOf({ id: 's', userId: 1, name: 'N', roles: [] })
const cast = { actors: { guest, member }, records: { note: {} } }

policyMatrix(
  publishing,
  cast,
  `
                 show create update delete publish
  guest   note    +     -      -      -      -
  member  note    +     -      -      -      +
  `,
)

describe('policyMatrix', () => {
  const lines = ['guest note + - - - -', 'member note + - - - +']
  const matrix =
    (actions: string, rows = lines) =>
    () =>
      policyMatrix(publishing, cast, [actions, ...rows].join('\n'))

  it.each([
    [
      'an action of the policy',
      'show create update delete',
      ['guest note + - - -', 'member note + - - -'],
      'the action publish is missing',
    ],
    ['an actor', 'show create update delete publish', lines.slice(1), '“guest note” is missing'],
  ])('throws for a table without %s', (_, actions, rows, problem) => {
    expect(matrix(actions, rows)).toThrow(problem)
  })

  it.each([
    [
      'an unknown action',
      'show create update delete publish burn',
      lines.map((line) => `${line} -`),
      'burn is not an action',
    ],
    [
      'an unknown sign',
      'show create update delete publish',
      ['guest note + - - - ?', 'member note + - - - +'],
      'needs a + or a -',
    ],
    [
      'a missing sign',
      'show create update delete publish',
      ['guest note + - -', 'member note + - - - +'],
      'needs a + or a -',
    ],
    [
      'a repeated line',
      'show create update delete publish',
      [...lines, 'guest note + - - - -'],
      '“guest note” occurs twice',
    ],
    [
      'an unknown actor',
      'show create update delete publish',
      [...lines, 'admin note + - - - -'],
      '“admin note” occurs twice, or names an unknown actor',
    ],
  ])('throws for a table with %s', (_, actions, rows, problem) => {
    expect(matrix(actions, rows)).toThrow(problem)
  })
})

describe('expectAnswers', () => {
  const expecting = (...signs: string[]) =>
    expectAnswers(publishing, cast, {
      actions: ['show', 'publish'],
      line: { actor: 'guest', record: 'post', signs },
    })

  it('fails for a sign that differs from the decision', async () => {
    await expecting('+', '-')
    await expect(expecting('-', '-')).rejects.toThrow('+ show')
    await expect(expecting('+', '+')).rejects.toThrow('- publish')
  })

  it('fails for an invalid result of a rule, for any sign', async () => {
    const broken = policy(Note, { canShow: () => 'yes' as never })
    const line = { actor: 'guest', record: 'post', signs: ['-'] }
    await expect(expectAnswers(broken, cast, { actions: ['show'], line })).rejects.toThrow(
      '(invalid_result) show',
    )
  })
})
