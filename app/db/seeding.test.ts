import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import { dayBetween, daysAgo, exampleText, exampleTitle, momentBetween, seededFaker } from './seeding.ts'

const root = join(import.meta.dirname, '../..')

/** A script in which Node can't resolve faker, as after `npm ci --omit=dev`. */
const WITHOUT_FAKER = `
import { registerHooks } from 'node:module'
registerHooks({
  resolve(specifier, context, next) {
    if (!specifier.startsWith('@faker-js/')) return next(specifier, context)
    throw Object.assign(new Error('Not found'), { code: 'ERR_MODULE_NOT_FOUND' })
  },
})
const { seededFaker } = await import('#app/db/seeding.ts')
await seededFaker().catch(({ message }) => console.log(message))
`

describe('seededFaker', () => {
  it('returns the same values each time', async () => {
    const values = async () => {
      const faker = await seededFaker()
      return [faker.person.fullName(), faker.date.anytime(), faker.string.uuid()]
    }
    expect(await values()).toEqual(await values())
  })

  it('rejects with the command that installs faker if it is missing', async () => {
    const args = ['--input-type=module', '--eval', WITHOUT_FAKER]
    const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: root })
    expect(stdout).toContain('npm install --include=dev')
  })
})

describe('dayBetween', () => {
  it('returns each of these days, counted from today', async () => {
    const faker = await seededFaker()
    const days = Array.from({ length: 50 }, () => dayBetween(faker, -1, 1))
    expect([...new Set(days)].toSorted()).toEqual([1, 0, -1].map((days) => daysAgo(days).slice(0, 10)))
  })
})

describe('momentBetween', () => {
  it('returns the same quarters of an hour in office hours each time', async () => {
    const moments = async () => {
      const faker = await seededFaker()
      return Array.from({ length: 50 }, () => momentBetween(faker, -30, 30))
    }
    expect(await moments()).toEqual(await moments())
    for (const moment of await moments())
      expect(moment).toMatch(/^\d{4}-\d\d-\d\dT(?:09|1[0-7]):(?:00|15|30|45):00\.000000Z$/)
  })
})

describe('exampleTitle', () => {
  it('returns a verb and a thing', async () => {
    expect(exampleTitle(await seededFaker())).toMatch(/^[A-Z][a-z]+ (?:out )?the [a-z ]+$/)
  })
})

describe('exampleText', () => {
  it('returns three paragraphs in which no sentence occurs twice', async () => {
    const paragraphs = exampleText(await seededFaker()).split('\n\n')
    const sentences = paragraphs.flatMap((paragraph) => paragraph.match(/[^.]+\./g) ?? [])
    expect([paragraphs.length, new Set(sentences.map((sentence) => sentence.trim())).size]).toEqual([3, 9])
  })
})
