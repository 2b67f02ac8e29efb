import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { expect, it, onTestFinished } from 'vitest'
import { testDatabase } from 'pergola/testing'
import { withDatabase } from 'pergola'
import { makeUser } from '#app/users/user.factory.ts'

const { db, url } = await testDatabase()
const user = await withDatabase(db, () => makeUser({ name: 'Nadia' }))

interface Answer {
  readonly id: number
  readonly result: {
    readonly isError?: boolean
    readonly tools: readonly { readonly name: string }[]
    readonly content: readonly { readonly text: string }[]
  }
}

/** Starts the server of tools. `ask` sends a request, and returns the result. */
function tools(...options: string[]) {
  const server = spawn(process.execPath, ['cli/main.ts', 'mcp', ...options], {
    // Vitest sets BASE_URL.
    env: { ...process.env, BASE_URL: undefined, NODE_ENV: 'development', DATABASE_URL: url },
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  onTestFinished(() => void server.kill())
  const lines = createInterface(server.stdout)[Symbol.asyncIterator]()
  let id = 0
  const send = (message: object) => server.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
  async function ask(method: string, params: object = {}): Promise<Answer['result']> {
    send({ id: ++id, method, params })
    for (;;) {
      const { value, done } = await lines.next()
      if (done) throw new Error('The server has ended.')
      const answer = JSON.parse(value) as Answer
      if (answer.id === id) return answer.result
    }
  }
  const start = async () => {
    const clientInfo = { name: 'test', version: '1' }
    await ask('initialize', { protocolVersion: '2025-06-18', capabilities: {}, clientInfo })
    send({ method: 'notifications/initialized' })
  }
  const call = async (name: string, input: object = {}) => {
    const { content, isError } = await ask('tools/call', { name, arguments: input })
    return { isError, text: content?.[0]?.text ?? '' }
  }
  return { ask, start, call }
}

it('serves facts, and no rows', async () => {
  const { ask, start, call } = tools()
  await start()
  const names = (await ask('tools/list')).tools.map(({ name }) => name)
  expect(names).toContain('routes')
  expect(names).not.toContain('rows')
  expect(JSON.parse((await call('routes')).text)).toContainEqual(expect.objectContaining({ path: '/users' }))
  expect((await call('route_info', { request: 'GET /users/1' })).text).toContain('user.policy.ts')
  expect(
    (
      await call('explain_decision', {
        user: 'guest',
        action: 'update',
        resource: 'User',
        id: String(user.id),
      })
    ).text,
  ).toContain('is denied for a guest')
  expect(JSON.parse((await call('tables')).text)).toContainEqual(
    expect.objectContaining({ table: 'users', columns: expect.arrayContaining(['name text']) }),
  )
  expect((await call('search_documents', { words: 'policy scope' })).text).toMatch(/^docs\//)
  expect((await call('scaffold_dry_run', { model: 'gadget', fields: ['name:string'] })).text).toContain(
    'app/gadgets/gadget.ts',
  )
})

it('refuses options in the place of arguments', async () => {
  const { start, call } = tools()
  await start()
  const { isError, text } = await call('scaffold_dry_run', { model: 'gadget', fields: ['--force'] })
  expect([isError, text]).toEqual([true, expect.stringContaining('must not begin with -')])
})

it('serves rows only with --with-data', async () => {
  const { start, call } = tools('--with-data')
  await start()
  expect((await call('rows', { table: 'users' })).text).toContain('Nadia')
})
