import { pino } from 'pino'
import { describe, expect, it } from 'vitest'
import {
  abilities,
  authorizeRecord,
  type Handler,
  policy,
  policyContext,
  publicRoute,
  render,
  routes,
  uncheckedRowWarning,
} from 'pergola'
import { testDatabase } from 'pergola/testing'
import { makeNote, Note, notes } from './fixtures/note.ts'
import { testApp } from './fixtures/test-app.ts'
import { users } from './fixtures/user.ts'

const database = await testDatabase()

/** Responds with what `read` returns, as JSON or as a page. */
async function respond(read: (req: Parameters<Handler>[0], id: number) => Promise<unknown>) {
  const lines: string[] = []
  const json: Handler = async (req, res) => void res.json(await read(req, Number(req.params['id'])))
  const page: Handler = async (req, res) =>
    render(res, 'home/index', { page: { content: [await read(req, Number(req.params['id']))] } })
  const table = routes('/read', {
    'GET /:id/json': [publicRoute(), json],
    'GET /:id/page': [publicRoute(), page],
  })
  const app = await testApp({
    database,
    resources: [{ repository: notes, routes: { table } }, { repository: users }],
    policies: [[Note, policy(Note, { canShow: (_ctx, note) => note.published, canUpdate: () => true })]],
    log: pino({ level: 'error' }, { write: (line: string) => lines.push(line) }),
  })
  const { id } = await app.within(() => makeNote({ published: true }))
  const [asJson, asPage] = [await app.guest.get(`/read/${id}/json`), await app.guest.get(`/read/${id}/page`)]
  return { statuses: [asJson.status, asPage.status], id, log: lines.join('\n') }
}

describe('a response with a row', () => {
  it.each<[what: string, read: Parameters<typeof respond>[0]]>([
    ['that no policy decided on', (_req, id) => notes.find(id)],
    ['within a list', async (_req, id) => ({ list: [await notes.find(id)] })],
    [
      'within a set, behind rows of a list',
      async (req, id) => [
        ...(await notes.visibleTo(await policyContext(req)).findAll()),
        { inner: new Set([await notes.find(id)]) },
      ],
    ],
    [
      'within objects that contain each other',
      async (_req, id) => {
        const [one, other] = [{}, {}]
        return Object.assign(one, { other: Object.assign(other, { one, note: await notes.find(id) }) })
      },
    ],
    [
      'within an object without a prototype',
      async (_req, id) => Object.assign(Object.create(null), { note: await notes.find(id) }) as object,
    ],
    ['within a map', async (_req, id) => new Map([[id, await notes.find(id)]])],
    [
      'that the policy only decided to let be updated by another button',
      async (req, id) => {
        const note = await notes.find(id)
        await abilities(req, Note, note === null ? [] : [note], ['update'])
        return note
      },
    ],
  ])('%s is an error with the remedy', async (_what, read) => {
    const { statuses, id, log } = await respond(read)
    expect(statuses).toEqual([500, 500])
    expect(log).toContain(
      `GET /read/:id/json: the response contains Note ${id}, but no policy decided on it. ` +
        "Put authorize('show', Note) into the route",
    )
  })

  it.each<[what: string, read: Parameters<typeof respond>[0]]>([
    ['that a policy decided on', async (req, id) => authorizeRecord(req, 'show', Note, await notes.find(id))],
    [
      'whose copy a policy decided on',
      async (req, id) => {
        const note = await notes.find(id)
        await authorizeRecord(req, 'show', Note, note)
        return note
      },
    ],
    [
      'that abilities found to be visible',
      async (req, id) => {
        const note = await notes.find(id)
        await abilities(req, Note, note === null ? [] : [note], ['show'])
        return note
      },
    ],
    ['of a list', async (req) => notes.visibleTo(await policyContext(req)).findAll()],
    ['of the system', (_req, id) => notes.asSystem('test').find(id)],
    ['whose values are a copy', async (_req, id) => ({ ...(await notes.find(id)) })],
  ])('%s is sent', async (_what, read) => {
    expect((await respond(read)).statuses).toEqual([200, 200])
  })
})

describe('uncheckedRowWarning', () => {
  it('writes once for each route', () => {
    const lines: string[] = []
    const warn = uncheckedRowWarning((line) => lines.push(line))
    warn('Note 1', 'GET /a')
    warn('Note 2', 'GET /a')
    warn('Note 1', 'GET /b')
    expect(lines).toEqual(['Note 1', 'Note 1'])
  })
})
