import { describe, expect, it } from 'vitest'
import { withDatabase } from 'pergola'
import { testDatabase } from 'pergola/testing'
import { makeUser } from '#app/users/user.factory.ts'
import { runCli } from '../../test-support/run-cli.ts'

const { db, url } = await testDatabase()
const why = (...words: string[]) => runCli(['why', ...words], { env: { DATABASE_URL: url } })

const [alice, bob, admin] = await withDatabase(
  db,
  async () =>
    [
      await makeUser({ name: 'Alice' }),
      await makeUser({ name: 'Bob' }),
      await makeUser({ name: 'Admin', roles: ['admin'] }),
    ] as const,
)

describe('cli why', () => {
  it('prints the answer of each rule and of the scope', async () => {
    const { code, stdout } = await why(bob.email.toUpperCase(), 'update', 'user', String(alice.id))
    expect(code).toBe(1)
    expect(stdout).toMatch(
      new RegExp(`^update of user ${alice.id} is denied for user ${bob.id} \\(no roles\\)\\.
  canUpdate: false
  policy: app/users/user.policy.ts:\\d+
  scope: lists the record \\(app/users/user.policy.ts:\\d+\\)
$`),
    )
  })

  it('accepts the id of a user, and a guest', async () => {
    const { code, stdout } = await why(String(alice.id), 'update', 'User', String(alice.id))
    expect([code, stdout]).toEqual([0, expect.stringContaining('is allowed for user')])
    expect((await why('guest', 'show', 'User', String(alice.id))).stdout).toContain('is allowed for a guest')
  })

  it('names the roles of the user', async () => {
    const { stdout } = await why(admin.email, 'show', 'User', String(alice.id))
    expect(stdout).toMatch(/is allowed for user \d+ \(admin\)[^]*scope: lists the record/)
  })

  it('suggests a rule for an action that the policy does not know', async () => {
    const { code, stdout } = await why(admin.email, 'updat', 'User', String(alice.id))
    expect(code).toBe(1)
    expect(stdout).toContain('canUpdat: no rule. Did you mean canUpdate? Available: ')
  })

  it('prints JSON', async () => {
    const { stdout } = await why('guest', 'create', 'User', '--json')
    expect(JSON.parse(stdout)).toMatchObject({ exists: true, allowed: false, isListed: null })
  })

  it('prints an error as JSON too, with --json', async () => {
    const { stdout, stderr } = await why('guest', 'show', 'Usr', '1', '--json')
    expect(JSON.parse(stdout)).toEqual({ error: stderr.trim() })
    const unknown = await why('guest', 'show', 'User', '1', '--jsn', '--json')
    expect(JSON.parse(unknown.stdout)).toEqual({ error: expect.stringContaining("unknown option '--jsn'") })
  })

  it.each([
    [['guest', 'show', 'Usr', '1'], 2, 'No resource is named Usr. Did you mean User?'],
    [['guest', 'show', 'User'], 2, 'show concerns a record. Add its id'],
    [
      ['nobody@example.test', 'show', 'User', '1'],
      1,
      'No enabled user has the email address nobody@example.test.',
    ],
  ])('%j exits with %i', async (words, exitCode, message) => {
    const { code, stderr } = await why(...words)
    expect([code, stderr]).toEqual([exitCode, expect.stringContaining(message)])
  })

  it('reports a missing record', async () => {
    expect((await why('guest', 'show', 'User', '999999')).stdout).toBe(
      'User 999999 does not exist. show is a 404 for a guest.\n',
    )
  })
})
