import { setTimeout as sleep } from 'node:timers/promises'
import type { Request, Response } from 'express'
import { sql } from 'kysely'
import { Client } from 'pg'
import { pino } from 'pino'
import { beforeEach, describe, expect, it } from 'vitest'
import {
  abilities,
  authorize,
  authorizeRecord,
  database,
  deny,
  type Guard,
  type Handler,
  inTransaction,
  load,
  lookup,
  PageRequest,
  policy,
  type PolicyContext,
  policyContext,
  publicRoute,
  record,
  routes,
  secured,
} from 'pergola'
import { forgetPolicyContext } from 'pergola/accounts'
import type { ForbiddenResponse } from 'pergola/app'
import type { Route } from '../src/http/routes/route-types.ts'
import { type Answer, comparable, testDatabase } from 'pergola/testing'
import { makeNote, Note, notes } from './fixtures/note.ts'
import { testApp } from './fixtures/test-app.ts'
import { makeUser, User, users } from './fixtures/user.ts'
import { namedValues } from './fixtures/named-values.ts'

const testDb = await testDatabase()

const lines: string[] = []
const log = pino({}, { write: (line: string) => void lines.push(line) })
const denials = () =>
  lines
    .map((line) => JSON.parse(line) as Record<string, unknown>)
    .filter(({ event }) => event === 'denied')
    .map(({ level: _level, time: _time, pid: _pid, hostname: _hostname, msg: _msg, ...rest }) => rest)

beforeEach(() => {
  lines.length = 0
})

type Rules = Parameters<typeof policy<typeof Note, string>>[1]
interface Given {
  rules: object
  options?: { forbiddenResponse?: ForbiddenResponse }
  table?: Record<`${'GET' | 'PUT'} /${string}`, Route>
  forbiddenResponse?: ForbiddenResponse
  ruleDeadline?: number
}

/** Returns the application with these rules for notes, and with these routes below /t. */
const appWith = ({ rules, options, table = {}, ...parts }: Given) =>
  testApp({
    log,
    database: testDb,
    resources: [{ repository: notes, routes: { others: routes('/t', table) } }, { repository: users }],
    policies: [[Note, policy(Note, rules as Rules, options)]],
    ...parts,
  })

describe('a reason', () => {
  const rules = { canShow: () => deny('locked', 'This note is locked.'), canUpdate: () => deny('too_old') }
  const signedIn = async (app: Awaited<ReturnType<typeof appWith>>) =>
    app.signInAs((await app.within(() => makeUser())).email)

  it('is shown with a 403', async () => {
    const app = await appWith({ rules, forbiddenResponse: '403' })
    const { id } = await app.within(() => makeNote())
    const client = await signedIn(app)
    expect((await client.get(`/api/notes/${id}`)).json()).toMatchObject({
      status: 403,
      reason: 'locked',
      detail: 'This note is locked.',
    })
    expect((await client.put(`/api/notes/${id}`, { json: {} })).json()).toMatchObject({
      reason: 'too_old',
      detail: 'You don’t have permission to do this.',
    })
  })

  it('is shown on a page', async () => {
    const table = { 'GET /:id': [publicRoute(), load(Note), authorize('show', Note), () => {}] as const }
    const app = await appWith({ rules, table, forbiddenResponse: '403' })
    const { id } = await app.within(() => makeNote())
    expect((await app.guest.get(`/t/${id}`)).text).toContain('This note is locked.')
  })

  it('is not shown with a 404, which equals the response for a missing record', async () => {
    const app = await appWith({ rules })
    const { id } = await app.within(() => makeNote())
    const ask = async () => comparable(await app.guest.get(`/api/notes/${id}`))
    const denied = await ask()
    await app.within(() => notes.asSystem('test').delete(id))
    expect(denied).toEqual(await ask())
    expect(denied.status).toBe(404)
  })

  it('is logged in both cases, with the ids and without the values of the row', async () => {
    for (const forbiddenResponse of ['404', '403'] as const) {
      lines.length = 0
      const app = await appWith({ rules, forbiddenResponse })
      const note = await app.within(() => makeNote({ title: 'canary' }))
      const member = await app.within(() => makeUser())
      const client = await app.signInAs(member.email)
      const { headers } = await client.get(`/api/notes/${note.id}`)
      const [event, ...others] = denials()
      expect(others).toEqual([])
      expect(event).toEqual({
        event: 'denied',
        actor: member.id,
        action: 'show',
        resource: 'Note',
        id: note.id,
        cause: 'denied',
        reason: 'locked',
        request_id: headers.get('x-request-id'),
        ms: expect.any(Number) as number,
      })
      expect(lines.join('')).not.toContain('canary')
    }
  })
})

describe('the log of denials', () => {
  it('contains guests', async () => {
    const app = await appWith({ rules: {}, table: { 'GET /': [secured(), () => {}] } })
    expect((await app.guest.get('/t')).status).toBe(303)
    expect(denials()).toMatchObject([{ actor: null, action: 'access', resource: null, cause: 'guest' }])
  })

  it('contains missing roles, without a resource', async () => {
    const table = { 'GET /': [secured('admin'), () => {}] as const }
    const app = await appWith({ rules: {}, table })
    const member = await app.within(() => makeUser())
    const client = await app.signInAs(member.email)
    expect((await client.get('/t')).status).toBe(403)
    expect(denials()).toMatchObject([
      { actor: member.id, action: 'access', resource: null, id: null, cause: 'missing_role' },
    ])
  })

  it('fails closed if it throws', async () => {
    const app = await testApp({
      database: testDb,
      log: new Proxy(pino({ level: 'silent' }), {
        get: (target, name) =>
          name === 'info'
            ? ({ event }: { event?: string }) => {
                if (event === 'denied') throw new Error('The log is full.')
              }
            : Reflect.get(target, name),
      }),
      policies: [[Note, policy(Note, { canShow: () => false })]],
    })
    const { id } = await app.within(() => makeNote())
    expect((await app.guest.get(`/api/notes/${id}`)).status).toBe(500)
  })
})

describe('a policy’s own answer to denials', () => {
  const denied = async (own: ForbiddenResponse | undefined, forbiddenResponse: ForbiddenResponse) => {
    const rules = { canShow: (_ctx: PolicyContext, note: Note) => note.published }
    const app = await appWith({
      rules,
      forbiddenResponse,
      ...(own && { options: { forbiddenResponse: own } }),
    })
    const [draft, note] = await app.within(() => Promise.all([makeNote({ published: false }), makeNote()]))
    const client = await app.signInAs((await app.within(() => makeUser())).email)
    const answers: Answer[] = [
      await client.get(`/api/notes/${draft.id}`),
      await client.delete(`/api/notes/${draft.id}`),
      await client.delete(`/api/notes/${note.id}`),
      await client.post('/api/notes', { json: {} }),
      await client.delete('/api/notes/999999'),
    ]
    return answers.map(({ status }) => status)
  }

  it.each(['404', '403', 'auto'] as const)(
    'overrides the setting %s of the application',
    async (application) => {
      expect(await denied('404', application)).toEqual([404, 404, 404, 404, 404])
      expect(await denied('403', application)).toEqual([403, 403, 403, 403, 404])
      expect(await denied('auto', application)).toEqual([404, 404, 403, 403, 404])
    },
  )

  it('defaults to the setting of the application', async () => {
    expect(await denied(undefined, '403')).toEqual([403, 403, 403, 403, 404])
  })
})

describe('canBecome', () => {
  const write =
    (changes: object): Handler =>
    async (req, res) =>
      void res.json(await notes.update(record(req, Note, 'update'), ...namedValues(changes)))
  const updating = (changes: object) => ({
    'PUT /:id': [publicRoute(), load(Note), authorize('update', Note), write(changes)] as const,
  })
  const yes = { canShow: () => true, canUpdate: () => true }
  const storedBy = (app: Awaited<ReturnType<typeof appWith>>, id: number) =>
    app.within(() => notes.asSystem('test').find(id))

  it('is called with the stored row and the updated one, and a denial stores nothing', async () => {
    const changes: [object, object][] = []
    const canBecome = (_ctx: unknown, before: object, after: object) => {
      changes.push([before, after])
      return 'title' in after && after.title !== 'No'
    }
    const app = await appWith({ rules: { ...yes, canBecome } })
    const client = await app.signInAs((await app.within(() => makeUser())).email)
    const note = await app.within(() => makeNote())
    const put = (title: string) => client.put(`/api/notes/${note.id}`, { json: { title } })
    expect(await put('No')).toMatchObject({ status: 422 })
    expect(await storedBy(app, note.id)).toEqual(note)
    expect(denials()).toMatchObject([{ action: 'become', id: note.id, cause: 'denied' }])
    expect((await put('Yes')).status).toBe(200)
    expect(changes).toEqual([
      [note, { ...note, title: 'No' }],
      // Which of the changed fields is refused.
      [note, { ...note, title: 'No' }],
      [note, { ...note, title: 'Yes' }],
    ])
    expect(changes.every((pair) => pair.every((row) => Object.isFrozen(row)))).toBe(true)
  })

  it('is not called if no column changes', async () => {
    const app = await appWith({ rules: { ...yes, canBecome: () => false } })
    const client = await app.signInAs((await app.within(() => makeUser())).email)
    const note = await app.within(() => makeNote())
    expect((await client.put(`/api/notes/${note.id}`, { json: { title: note.title } })).status).toBe(200)
  })

  it('allows code to change an immutable column, but not clients; before does not', async () => {
    const [mine, theirs] = await Promise.all([0, 1].map(() => inDatabase(() => makeUser())))
    if (!mine || !theirs) throw new Error('Nobody was made.')
    const give = updating({ author_id: theirs.id })
    const attempt = async (rules: object) => {
      const app = await appWith({ rules: { ...yes, ...rules }, table: give })
      const note = await app.within(() => makeNote({ author_id: mine.id }))
      const { status } = await app.guest.put(`/t/${note.id}`)
      const client = await app.signInAs(mine.email)
      const byClient = await client.put(`/api/notes/${note.id}`, { json: { author_id: 1 } })
      return [status, (await storedBy(app, note.id))?.author_id === theirs.id, byClient.status]
    }
    expect(await attempt({})).toEqual([500, false, 422])
    expect(await attempt({ before: () => true })).toEqual([500, false, 422])
    expect(await attempt({ before: () => true, canBecome: () => false })).toEqual([422, false, 422])
    expect(await attempt({ canBecome: () => true })).toEqual([200, true, 422])
  })

  it('is called again if another request changed the row', async () => {
    let decisions = 0
    const canBecome = (_ctx: unknown, before: Note) => ++decisions > 0 && before.body !== 'Locked'
    const meanwhile: Guard = {
      kind: 'meanwhile',
      run: (req) =>
        inDatabase(async () => {
          await notes.asSystem('meanwhile').update(Number(req.params['id']), { body: 'Locked' })
        }),
    }
    const guards = [publicRoute(), load(Note), authorize('update', Note), meanwhile] as const
    const table = { 'PUT /:id': [...guards, write({ title: 'New' })] as const }
    const app = await appWith({ rules: { ...yes, canBecome }, table })
    const note = await app.within(() => makeNote({ title: 'Old' }))
    expect((await app.guest.put(`/t/${note.id}`)).status).toBe(422)
    // On the row of the guard, on the newer row, and for the title alone.
    expect([decisions, (await storedBy(app, note.id))?.title]).toEqual([3, 'Old'])
  })
})

describe('an update without canBecome', () => {
  const writing = (changes: object) => ({
    'PUT /:id': [
      publicRoute(),
      load(Note),
      authorize('update', Note),
      async (req: Request, res: Response) =>
        void res.json(await notes.update(record(req, Note, 'update'), ...namedValues(changes))),
    ] as const,
  })
  const attempt = async (rules: object, changes: object) => {
    const app = await appWith({ rules: { canShow: () => true, ...rules }, table: writing(changes) })
    const note = await app.within(() => makeNote({ title: 'Old', body: 'Old' }))
    const { status, json } = await app.guest.put(`/t/${note.id}`, { headers: { accept: 'application/json' } })
    const stored = await app.within(() => notes.asSystem('test').find(note.id))
    return { status, stored: stored?.title, errors: (json() as { errors?: object }).errors }
  }
  const onlyOld = (_ctx: unknown, note: Note) => note.title === 'Old'

  it('calls canUpdate for the updated row, and names the refused fields', async () => {
    expect(await attempt({ canUpdate: onlyOld }, { title: 'New', body: 'New' })).toEqual({
      status: 422,
      stored: 'Old',
      errors: [{ field: 'title', messages: ['You don’t have permission to make this change.'] }],
    })
    expect(await attempt({ canUpdate: onlyOld }, { body: 'New' })).toMatchObject({ status: 200 })
  })

  it('names all changed fields if only their combination is refused', async () => {
    const notBoth = (_ctx: unknown, note: Note) => note.title === 'Old' || note.body === 'Old'
    const { status, errors } = await attempt({ canUpdate: notBoth }, { title: 'New', body: 'New' })
    expect([status, errors]).toMatchObject([422, [{ field: 'title' }, { field: 'body' }]])
  })

  it('shows the sentence of the denial', async () => {
    const canUpdate = (_ctx: unknown, note: Note) =>
      note.title === 'Old' || deny('locked', 'Titles are final.')
    const { errors } = await attempt({ canUpdate }, { title: 'New' })
    expect(errors).toEqual([{ field: 'title', messages: ['Titles are final.'] }])
  })

  it('returns 404 if the caller may not see the record, and asks before', async () => {
    const hidden = { canShow: () => false, canUpdate: onlyOld }
    expect(await attempt(hidden, { title: 'New' })).toMatchObject({ status: 404, stored: 'Old' })
    expect(await attempt({ before: () => true, canUpdate: onlyOld }, { title: 'New' })).toMatchObject({
      status: 200,
    })
  })
})

describe('a repeated decision', () => {
  let calls: string[] = []
  const canShow = (ctx: PolicyContext, note: Note) => {
    calls.push(`${ctx.userId} ${note.id} ${note.body}`)
    return true
  }
  const run = async (handler: Handler) => {
    calls = []
    const table = { 'GET /:id': [publicRoute(), handler] as const }
    const app = await appWith({ rules: { canShow, canUpdate: () => true }, table })
    const note = await app.within(() => makeNote({ body: 'first' }))
    const member = await app.within(() => makeUser())
    const { status } = await (await app.signInAs(member.email)).get(`/t/${note.id}`)
    return { status, note, member }
  }
  const found = async (id: string | string[] | undefined) => {
    const note = await notes.asSystem('test').find(Number(id))
    if (note === null) throw new Error('It is gone.')
    return note
  }

  it('is made once per request, even if the row is read again', async () => {
    const { member, note } = await run(async (req, res) => {
      const id = req.params['id']
      await authorizeRecord(req, 'show', Note, await found(id))
      await authorizeRecord(req, 'show', Note, await found(id))
      await abilities(req, Note, [await found(id)], ['show'])
      res.end()
    })
    expect(calls).toEqual([`${member.id} ${note.id} first`])
  })

  it('is made again after any write', async () => {
    const { member, note } = await run(async (req, res) => {
      const row = await authorizeRecord(req, 'show', Note, await found(req.params['id']))
      await database().deleteFrom('attempts').execute()
      await authorizeRecord(req, 'show', Note, row)
      await notes.update(
        await authorizeRecord(req, 'update', Note, row),
        { body: 'second' },
        { set: ['body'] },
      )
      await authorizeRecord(req, 'show', Note, await found(req.params['id']))
      res.end()
    })
    const asking = `${member.id} ${note.id}`
    expect(calls).toEqual([`${asking} first`, `${asking} first`, `${asking} second`])
  })

  it('is made again if another client changed the row', async () => {
    const elsewhere = new Client({ connectionString: testDb.url })
    await elsewhere.connect()
    const { member, note } = await run(async (req, res) => {
      const id = req.params['id']
      await authorizeRecord(req, 'show', Note, await found(id))
      await elsewhere.query(`update notes set body = 'theirs' where id = $1`, [id])
      await authorizeRecord(req, 'show', Note, await found(id))
      res.end()
    })
    await elsewhere.end()
    expect(calls).toEqual([`${member.id} ${note.id} first`, `${member.id} ${note.id} theirs`])
  })

  it('is made again for another caller', async () => {
    const { member, note } = await run(async (req, res) => {
      const row = await found(req.params['id'])
      await authorizeRecord(req, 'show', Note, row)
      forgetPolicyContext(req)
      req.headers.cookie = ''
      await authorizeRecord(req, 'show', Note, row)
      res.end()
    })
    expect(calls).toEqual([`${member.id} ${note.id} first`, `null ${note.id} first`])
  })

  it('is made again for a request that inherits another one, but has its own cookie', async () => {
    const { member, note } = await run(async (req, res) => {
      const row = await found(req.params['id'])
      await authorizeRecord(req, 'show', Note, row)
      const guest = Object.create(req, { headers: { value: { ...req.headers, cookie: '' } } }) as typeof req
      await authorizeRecord(guest, 'show', Note, row)
      res.end()
    })
    expect(calls).toEqual([`${member.id} ${note.id} first`, `null ${note.id} first`])
  })

  it('is made separately for each row and action', async () => {
    const other = await inDatabase(() => makeNote({ body: 'other' }))
    const { status } = await run(async (req, res) => {
      const may = await abilities(
        req,
        Note,
        [await found(req.params['id']), other],
        ['show', 'update', 'delete'],
      )
      expect(calls).toHaveLength(2)
      res.status(may(other, 'update') && !may(other, 'delete') ? 200 : 500).end()
    })
    expect(status).toBe(200)
  })

  it('is made separately for records of other resources with the same id and version', async () => {
    const id = 5_000_000
    await testDb.db.transaction().execute(async (transaction) => {
      await sql`insert into users (id, name, email) overriding system value
        values (${id}, 'Twin', 'twin@example.org')`.execute(transaction)
      await sql`insert into notes (id, title, body, author_id) overriding system value
        values (${id}, 'Twin', 'B', ${id})`.execute(transaction)
    })
    const ask: Handler = async (req, res) => {
      const [user, note] = [await users.asSystem('test').find(id), await notes.asSystem('test').find(id)]
      const mayUser = user && (await abilities(req, User, [user], ['show']))(user, 'show')
      const mayNote = note && (await abilities(req, Note, [note], ['show']))(note, 'show')
      res.json([mayUser, mayNote])
    }
    const app = await appWith({ rules: { canShow: () => false }, table: { 'GET /': [publicRoute(), ask] } })
    expect((await app.guest.get('/t')).json()).toEqual([true, false])
  })

  it('is made separately for concurrent callers', async () => {
    const slow = async (ctx: PolicyContext, note: Note) => {
      await sql`select pg_sleep(0.02)`.execute(database())
      return ctx.owns(note.author_id)
    }
    const app = await appWith({ rules: { canShow: slow } })
    const owner = await app.within(() => makeUser())
    const { id } = await app.within(() => makeNote({ author_id: owner.id }))
    const stranger = await app.within(() => makeUser())
    const [theirs, other] = [await app.signInAs(owner.email), await app.signInAs(stranger.email)]
    const asks = Array.from({ length: 20 }, (_, index) =>
      (index % 2 === 0 ? theirs : other).get(`/api/notes/${id}`),
    )
    const statuses = (await Promise.all(asks)).map(({ status }) => status)
    expect(statuses).toEqual(asks.map((_, index) => (index % 2 === 0 ? 200 : 404)))
  })
})

describe('a recorded decision', () => {
  const yes = { canShow: () => true, canUpdate: (ctx: PolicyContext) => ctx.userId !== null }
  let kept: never
  const table = {
    'GET /:id': [
      secured(),
      load(Note),
      authorize('update', Note),
      (req, res) => {
        kept = record(req, Note, 'update') as never
        res.end()
      },
    ] as Route,
    'PUT /:id': [
      publicRoute(),
      async (_req, res) => void res.json(await notes.update(kept, { title: 'Stolen' }, { set: ['title'] })),
    ] as Route,
  }

  it('ends with its request', async () => {
    const app = await appWith({ rules: yes, table })
    const note = await app.within(() => makeNote({ title: 'Old' }))
    const client = await app.signInAs((await app.within(() => makeUser())).email)
    expect((await client.get(`/t/${note.id}`)).status).toBe(200)
    expect((await app.guest.put(`/t/${note.id}`)).status).toBe(500)
    expect((await app.within(() => notes.asSystem('test').find(note.id)))?.title).toBe('Old')
  })

  it('applies to rows of its resource only', async () => {
    const ask: Handler = async (req, res) => {
      const user = await users.asSystem('test').find(Number(req.params['id']))
      await authorizeRecord(req, 'show', Note, user as never)
      res.end()
    }
    const asking = {
      'GET /:id': [publicRoute(), ask] as Route,
      'GET /none/:id': [publicRoute(), missing] as Route,
    }
    const app = await appWith({ rules: { canShow: () => true }, table: asking })
    const { id } = await app.within(() => makeUser())
    expect((await app.guest.get(`/t/${id}`)).status).toBe(500)
    expect((await app.guest.get(`/t/none/${id}`)).status).toBe(404)
  })
  const missing: Handler = async (req) => void (await authorizeRecord(req, 'show', Note, undefined))
})

describe('changes', () => {
  it('are stored as they were when the policy decided', async () => {
    const changes = { title: 'Asked' }
    const canBecome = async () => {
      await new Promise((resolve) => setImmediate(resolve))
      changes.title = 'Slipped in'
      return true
    }
    const write: Handler = async (req, res) =>
      void res.json(await notes.update(record(req, Note, 'update'), ...namedValues(changes)))
    const app = await appWith({
      rules: { canUpdate: () => true, canBecome },
      table: { 'PUT /:id': [publicRoute(), load(Note), authorize('update', Note), write] },
    })
    const { id } = await app.within(() => makeNote())
    expect((await app.guest.put(`/t/${id}`)).json()).toMatchObject({ title: 'Asked' })
  })
})

describe('a transaction', () => {
  let decisions = 0
  const canShow = () => ++decisions > 0
  const inRequest = async (handler: Handler) => {
    decisions = 0
    const app = await appWith({
      rules: { canShow },
      table: { 'GET /:id': [publicRoute(), handler] as Route },
    })
    const note = await app.within(() => makeNote({ title: 'Old' }))
    const answer = await app.guest.get(`/t/${note.id}`)
    return { answer, note: await app.within(() => notes.asSystem('test').find(note.id)) }
  }
  const found = async (req: Parameters<Handler>[0]) => {
    const note = await notes.asSystem('test').find(Number(req.params['id']))
    if (note === null) throw new Error('It is gone.')
    return note
  }

  it('has its own decisions, which a rollback discards', async () => {
    await inRequest(async (req, res) => {
      await authorizeRecord(req, 'show', Note, await found(req))
      const work = inTransaction(async () => {
        await authorizeRecord(req, 'show', Note, await found(req))
        throw new Error('Taken back.')
      })
      await work.catch(() => {})
      await authorizeRecord(req, 'show', Note, await found(req))
      res.end()
    })
    expect(decisions).toBe(3)
  })

  it('rolls back concurrent statements, and rejects later ones', async () => {
    const late: unknown[] = []
    const { note } = await inRequest(async (req, res) => {
      const { id } = await found(req)
      const write = () => notes.asSystem('test').update(id, { title: 'Left over' })
      const loop = async () => {
        for (let count = 0; count < 50; count++) await write()
      }
      const beside: Promise<unknown>[] = []
      const work = inTransaction(async () => {
        beside.push(loop().catch((error: unknown) => late.push(error)))
        await write()
        throw new Error('Taken back.')
      })
      await work.catch(() => {})
      await Promise.all(beside)
      res.end()
    })
    expect(note?.title).toBe('Old')
    expect(late).toMatchObject([{ message: expect.stringContaining('This transaction has ended') as string }])
  })
})

describe('connections of one request that wait for each other', () => {
  it('end with a 503 instead of hanging', async () => {
    const hold: Handler = async (_req, res) => {
      const one = () =>
        testDb.db.transaction().execute(async (transaction) => {
          await sql`select 1`.execute(transaction)
          // This statement is outside of the transaction, so it needs a second connection.
          await sql`select 1`.execute(testDb.db)
        })
      await Promise.all(Array.from({ length: 4 }, one))
      res.end()
    }
    const app = await appWith({ rules: {}, table: { 'GET /': [publicRoute(), hold] } })
    expect((await app.guest.get('/t')).status).toBe(503)
    expect((await app.guest.get('/notes')).status).toBe(404)
  })
})

describe('lookup', () => {
  let queries = 0
  /** Returns whether the author of a note is an admin, which requires a related row. */
  const isAdmin = lookup(async (db, ids: readonly number[]) => {
    queries++
    const found = await db.selectFrom('users').select(['id', 'roles']).where('id', 'in', ids).execute()
    return new Map(found.map(({ id, roles }) => [id, roles.includes('admin')]))
  })
  const rules = {
    canShow: () => true,
    canUpdate: async (ctx: PolicyContext, note: Note) => (await isAdmin(ctx, note.author_id)) === true,
    canDelete: async (ctx: PolicyContext, note: Note) => (await isAdmin(ctx, note.author_id)) === false,
  }
  const buttons: Handler = async (req, res) => {
    const { content } = await notes.visibleTo(await policyContext(req)).page(new PageRequest(1, 100))
    const before = testDb.statements.length
    const may = await abilities(req, Note, content, ['update', 'delete'])
    const answers = content.map((row) => [may(row, 'update'), may(row, 'delete')])
    res.json({ statements: testDb.statements.length - before, answers })
  }

  it('sends one query for the buttons of a hundred rows', async () => {
    const app = await appWith({ rules, table: { 'GET /': [publicRoute(), buttons] } })
    await app.within(async () => {
      await notes.asSystem('test').findAll()
      for (let count = 0; count < 100; count++)
        await makeNote({ author_id: (await makeUser(count % 2 === 0 ? { roles: ['admin'] } : {})).id })
    })
    const { answers, statements } = (await app.guest.get('/t')).json() as {
      answers: [boolean, boolean][]
      statements: number
    }
    expect(statements).toBe(1)
    expect(answers).toHaveLength(100)
    expect(answers.filter(([update]) => update)).toHaveLength(50)
    expect(answers.every(([update, remove]) => update !== remove)).toBe(true)
  })

  it('reads its own writes in a transaction, and the stored rows outside of it', async () => {
    const beside: Handler = async (req, res) => {
      const ctx = await policyContext(req)
      const { id } = await makeUser()
      const written = Promise.withResolvers<void>()
      const outside = written.promise.then(() => isAdmin(ctx, id))
      const answers = await inTransaction(async () => {
        await users.asSystem('test').update(id, { roles: ['admin'] })
        const inside = await isAdmin(ctx, id)
        written.resolve()
        return [inside, await outside]
      })
      res.json(answers)
    }
    const app = await appWith({ rules, table: { 'GET /': [publicRoute(), beside] } })
    expect((await app.guest.get('/t')).json()).toEqual([true, false])
  })

  it('reads each key once per request, and again after a write', async () => {
    const table = {
      'GET /:id': [
        publicRoute(),
        load(Note),
        authorize('update', Note),
        async (req, res) => {
          const ctx = await policyContext(req)
          await isAdmin(ctx, record(req, Note, 'update').author_id)
          const before = queries
          await database().deleteFrom('attempts').execute()
          await isAdmin(ctx, record(req, Note, 'update').author_id)
          res.json([before, queries])
        },
      ] as Route,
    }
    const app = await appWith({ rules, table })
    const note = await app.within(async () =>
      makeNote({ author_id: (await makeUser({ roles: ['admin'] })).id }),
    )
    queries = 0
    expect((await app.guest.get(`/t/${note.id}`)).json()).toEqual([1, 2])
  })

  it('denies all dependent actions if its query fails, and logs the error once', async () => {
    const broken = lookup(async (db, ids: readonly number[]) => {
      await db
        .selectFrom('no_such_table' as 'users')
        .select('id')
        .where('id', 'in', ids)
        .execute()
      return new Map(ids.map((id) => [id, true]))
    })
    const canUpdate = async (ctx: PolicyContext, note: Note) => (await broken(ctx, note.id)) === true
    const app = await appWith({
      rules: { canShow: () => true, canUpdate },
      table: { 'GET /': [publicRoute(), buttons] },
    })
    await app.within(() => Promise.all([makeNote(), makeNote()]))
    const { answers } = (await app.guest.get('/t')).json() as { answers: [boolean, boolean][] }
    expect(answers.length).toBeGreaterThan(1)
    expect(answers.flat()).not.toContain(true)
    expect(denials()).toMatchObject([{ action: 'update', cause: 'error', err: { code: '42P01' } }])
  })
})

describe('a rule that doesn’t return', () => {
  it('is aborted when the client disconnects', async () => {
    const canShow = () => new Promise<boolean>(() => {})
    const app = await appWith({ rules: { canShow } })
    const { id } = await app.within(() => makeNote())
    await expect(fetch(`${app.url}/api/notes/${id}`, { signal: AbortSignal.timeout(200) })).rejects.toThrow(
      'timeout',
    )
    await expect.poll(denials).toMatchObject([{ id, action: 'show', cause: 'aborted' }])
  })

  // Without the setting, a rule has five seconds.
  it('is denied after the deadline of the application, also at the time of an update', async () => {
    const late = () => sleep(3_000, true)
    const rules = { canShow: late, canUpdate: () => true, canBecome: late }
    const app = await appWith({ rules, ruleDeadline: 50, forbiddenResponse: '404' })
    const client = await app.signInAs((await app.within(() => makeUser())).email)
    const { id } = await app.within(() => makeNote())
    expect((await client.get(`/api/notes/${id}`)).status).toBe(404)
    expect((await client.put(`/api/notes/${id}`, { json: { title: 'New' } })).status).toBe(404)
    expect(denials()).toMatchObject([
      { action: 'show', cause: 'timeout' },
      { action: 'become', cause: 'timeout' },
    ])
  })

  it('is awaited for a connected client, even after the body was read', async () => {
    const canUpdate = async () => {
      await new Promise((resolve) => setTimeout(resolve, 100))
      return true
    }
    const app = await appWith({ rules: { canShow: () => true, canUpdate } })
    const client = await app.signInAs((await app.within(() => makeUser())).email)
    const { id } = await app.within(() => makeNote())
    expect((await client.put(`/api/notes/${id}`, { json: { title: 'New' } })).status).toBe(200)
  })
})

describe('a request whose rules each send a query', () => {
  it('uses four connections at most, and completes all queries', async () => {
    let most = 0
    let now = 0
    const canUpdate = async () => {
      const count = database().selectNoFrom(sql<number>`1`.as('one'))
      most = Math.max(most, ++now)
      await sql`select pg_sleep(0.03)`.execute(database()).finally(() => now--)
      return (await count.executeTakeFirstOrThrow()).one === 1
    }
    const watcher = new Client({ connectionString: testDb.url })
    await watcher.connect()
    const busiest = async () => {
      const { rows } = await watcher.query<{ active: string }>(
        `select count(*) as active from pg_stat_activity where datname = current_database()
          and state = 'active' and query like '%pg_sleep%' and pid <> pg_backend_pid()`,
      )
      return Number(rows[0]?.active)
    }
    const rows = await inDatabase(() => Promise.all(Array.from({ length: 60 }, () => makeNote())))
    const asking: Handler = async (req, res) => {
      const may = await abilities(req, Note, rows, ['update'])
      res.json(rows.filter((row) => may(row, 'update')).length)
    }
    const app = await appWith({ rules: { canUpdate }, table: { 'GET /': [publicRoute(), asking] } })
    const answered = new AbortController()
    const answer = app.guest.get('/t').finally(() => answered.abort())
    const sizes: number[] = []
    while (!answered.signal.aborted) sizes.push(await busiest())
    expect((await answer).json()).toBe(60)
    await watcher.end()
    expect(most).toBe(60)
    expect(Math.max(...sizes)).toBeGreaterThan(0)
    expect(Math.max(...sizes)).toBeLessThanOrEqual(4)
  })
})

const inDatabase = <Result>(work: () => Promise<Result>) => inApp.then((app) => app.within(work))
const inApp = appWith({ rules: {} })
