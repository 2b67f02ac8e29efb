import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import { seededFaker } from './seeding.ts'

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
