import { describe, expect, it } from 'vitest'
import { runCli } from '../../test-support/run-cli.ts'
import { testDatabase } from 'pergola/testing'
import { makeUser } from '#app/users/user.factory.ts'
import { withDatabase } from 'pergola'

const { db, url } = await testDatabase()
const runConsole = (input: string) => runCli(['console'], { input, env: { DATABASE_URL: url } })

const [alice] = await withDatabase(
  db,
  async () => [await makeUser({ name: 'Alice' }), await makeUser()] as const,
)

describe('cli console', () => {
  it('prints the awaited value of an expression', async () => {
    expect(await runConsole('await users.asSystem("a look").count()\n')).toEqual({
      code: 0,
      stdout: '2\n',
      stderr: '',
    })
  })

  it('runs a script with types and imports as any user', async () => {
    const script = `
      import { readConfig } from '#app/config.ts'
      const alice = await as('${alice.email.toUpperCase()}')
      const count: number = await users.visibleTo(alice).count()
      console.log(readConfig().profile, alice.userId === ${alice.id}, (await as()).userId, count)
      console.log((await db.selectFrom('users').select('name').execute()).length, User.name)`
    expect(await runConsole(script)).toEqual({ code: 0, stdout: 'test true null 2\n2 User\n', stderr: '' })
  })

  it('exits with 1 and one line at the first error', async () => {
    const { code, stdout, stderr } = await runConsole(
      'await as("nobody@example.test"); console.log("not reached")',
    )
    expect([code, stdout, stderr]).toEqual([
      1,
      '',
      'No enabled user has the email address nobody@example.test.\n',
    ])
  })

  it('refuses to write the table of a resource directly', async () => {
    const { code, stderr } = await runConsole(`await db.deleteFrom('users').execute()`)
    expect([code, stderr]).toEqual([1, expect.stringContaining("use its asSystem('why')")])
    expect(await runConsole('await users.asSystem("a look").count()')).toMatchObject({ stdout: '2\n' })
  })

  it('exits on empty input', async () => {
    expect(await runCli(['console'], { env: { DATABASE_URL: url } })).toEqual({
      code: 0,
      stdout: '',
      stderr: '',
    })
  })
})
