import { describe, expect, it } from 'vitest'
import { runCli } from '../test-support/run-cli.ts'
import { testDatabase } from 'pergola/testing'
import { makeUser } from '#app/users/user.factory.ts'
import { withDatabase } from 'pergola'

const { db, url } = await testDatabase()
const typed = (input: string) => runCli(['console'], { input, env: { DATABASE_URL: url } })

const [alice] = await withDatabase(
  db,
  async () => [await makeUser({ name: 'Alice' }), await makeUser()] as const,
)

describe('cli console', () => {
  it('prints the value of an expression, awaited', async () => {
    expect(await typed('await users.asSystem("a look").count()\n')).toEqual({
      code: 0,
      stdout: '2\n',
      stderr: '',
    })
  })

  it('runs a script with types and imports, in which somebody may be anybody', async () => {
    const script = `
      import { readConfig } from '#app/config.ts'
      const alice = await as('${alice.email.toUpperCase()}')
      const count: number = await users.visibleTo(alice).count()
      console.log(readConfig().profile, alice.userId === ${alice.id}, (await as()).userId, count)
      console.log((await db.selectFrom('users').select('name').execute()).length, User.name)`
    expect(await typed(script)).toEqual({ code: 0, stdout: 'test true null 2\n2 User\n', stderr: '' })
  })

  it('ends with 1 and a sentence at the first failure', async () => {
    const { code, stdout, stderr } = await typed(
      'await as("nobody@example.test"); console.log("not reached")',
    )
    expect([code, stdout, stderr]).toEqual([1, '', 'Nobody can sign in as nobody@example.test.\n'])
  })

  it('writes no table around its repository', async () => {
    const { code, stderr } = await typed(`await db.deleteFrom('users').execute()`)
    expect([code, stderr]).toEqual([1, expect.stringContaining("takes its asSystem('why')")])
    expect(await typed('await users.asSystem("a look").count()')).toMatchObject({ stdout: '2\n' })
  })

  it('ends where nothing comes in', async () => {
    expect(await runCli(['console'], { env: { DATABASE_URL: url } })).toEqual({
      code: 0,
      stdout: '',
      stderr: '',
    })
  })
})
