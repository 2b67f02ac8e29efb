import { describe, expect, it, onTestFinished } from 'vitest'
import { pino } from 'pino'
import { deny, lookup, policy } from 'pergola'
import { listen, portOf, type Replacements } from 'pergola/app'
import { Shards } from 'pergola/scale'
import { matchRoute } from 'pergola/manifest'
import { TestClient } from 'pergola/testing'
import { createApp } from '#app/app.ts'
import { readConfig } from '#app/config.ts'
import { productionApp } from '#app/manifest.ts'
import { resources } from '#app/resources.ts'
import { makeTestNote, TestNote, testNoteApp, testNoteDatabase } from '#app/test/test-note.ts'

const database = await testNoteDatabase()
const development = { NODE_ENV: 'development' }
const app = await testNoteApp({ database, env: development })
const draft = await app.within(() => makeTestNote({ published: false, title: 'Nobody’s business' }))

/** Returns the rows of the first table of a page as text, without the answers of rules. */
function decisionsOf(html: string): string[][] {
  return matrixOf(html.replaceAll(/<br>.*$/gm, ''))
}

/** Returns the rows of the first table of a page as text. */
function matrixOf(html: string): string[][] {
  const [table = ''] = /<table>.*?<\/table>/s.exec(html) ?? []
  const rows = [...table.matchAll(/<tr>(.*?)<\/tr>/gs)].map(([, row = '']) => row)
  return rows.map((row) =>
    [...row.matchAll(/<t[hd][^>]*>(.*?)<\/t[hd]>/gs)].map(([, cell = '']) => textOf(cell)),
  )
}

const textOf = (html: string) =>
  html
    .replaceAll(/<[^>]*>/g, ' ')
    .replaceAll(/\s+/g, ' ')
    .trim()

const ask = (id: number | string, rules: Replacements = {}) =>
  testNoteApp({ database, env: development, ...rules }).then(({ guest }) =>
    guest.get(`/_dev/routes?resource=TestNote&id=${id}`),
  )

describe('/_dev', () => {
  it('links the pages for developers', async () => {
    const { text } = await app.guest.get('/_dev')
    const links = [...text.matchAll(/href="(\/_dev\/[^"]+)"/g)].map(([, href = '']) => href)
    expect(links).toHaveLength(5)
    for (const href of links) expect((await app.guest.get(href)).status).toBe(200)
  })
})

describe('/_dev/routes', () => {
  it('does not exist in test or production', async () => {
    const { guest } = await testNoteApp({ database })
    for (const path of ['/_dev/routes', `/_dev/routes?resource=TestNote&id=${draft.id}`, '/_dev']) {
      expect((await guest.get(path)).status).toBe(404)
    }
    expect(matchRoute(productionApp().app, 'GET', '/_dev/routes')).toBeNull()
  })

  it('lists every route with its guards, including its own route', async () => {
    const { text } = await app.guest.get('/_dev/routes')
    expect(textOf(text)).toContain(
      'PUT /test-notes/:id test-notes.update gated is open to signed-in users; loads the TestNote',
    )
    expect(textOf(text)).toContain('checks whether the caller may update the TestNote')
    expect(text).toContain('GET /_dev/routes')
  })

  it('names the shard of the host', async () => {
    const config = readConfig({ ...development, SESSION__SECRET: 'a secret for tests that is long enough' })
    const log = pino({ level: 'silent' })
    // The first part of the host of the test client.
    const db = Shards.of([['127', database.db]])
    const sharded = createApp({ config, db, log, resources, ready: () => Promise.resolve(true) })
    const server = await listen(sharded, { host: '127.0.0.1', port: 0, behindProxy: false })
    onTestFinished(() => void server.close())
    const { text } = await new TestClient(`http://127.0.0.1:${portOf(server)}`).get('/_dev/routes')
    expect(textOf(text)).toContain('This host is in the shard 127 .')
    expect(textOf((await app.guest.get('/_dev/routes')).text)).not.toContain('shard')
  })

  it('shows the decisions for each kind of caller', async () => {
    const { status, text } = await app.guest.get(`/_dev/routes?resource=TestNote&id=${draft.id}`)
    expect(status).toBe(200)
    expect(decisionsOf(text)).toEqual([
      ['Caller', 'create', 'delete', 'show', 'update', 'in lists'],
      ['a guest', 'no', 'no', 'no', 'no', 'no'],
      ['a signed-in user', 'yes', 'no', 'no', 'no', 'no'],
      ['its owner', 'yes', 'yes', 'yes', 'yes', 'yes'],
      ['the role admin', 'yes', 'yes', 'yes', 'yes', 'no'],
    ])
  })

  it('shows the answer of each rule and of each lookup', async () => {
    const isKnown = lookup(async (_db, ids: readonly number[]) => new Map(ids.map((id) => [id, id > 0])))
    const asking = policy(TestNote, {
      before: () => undefined,
      canShow: async (ctx, note) => ctx.owns(note.owner_id) && (await isKnown(ctx, note.id)) === true,
    })
    const { text } = await ask(draft.id, { policies: [[TestNote, asking]] })
    const [, guest, , owner] = matrixOf(text)
    expect(guest?.[1]).toBe('no before: undefined canShow: false')
    expect(owner?.[1]).toMatch(
      new RegExp(
        `^yes before: undefined canShow: true lookup of ${draft.id}: true \\(app/dev/dev.test.ts:\\d+\\)$`,
      ),
    )
  })

  it('shows the reason of a denial, or the error of a rule', async () => {
    const broken = policy(TestNote, {
      canShow: () => deny('locked'),
      canUpdate: () => {
        throw new Error('The rule broke.')
      },
      canDelete: () => 'yes' as never,
    })
    const { text } = await ask(draft.id, { policies: [[TestNote, broken]] })
    expect(matrixOf(text)[1]).toEqual([
      'a guest',
      'no invalid_result canDelete: string: denies',
      'no canShow: false (locked)',
      'no error canUpdate: threw: The rule broke.',
      'no',
    ])
  })

  it('decides about `create` with a blank draft, not with the row', async () => {
    const blank = policy(TestNote, {
      canCreate: (ctx, asked) => asked.title === undefined && ctx.owns(asked.owner_id as number),
    })
    const { text } = await ask(draft.id, { policies: [[TestNote, blank]] })
    expect(decisionsOf(text).slice(1)).toEqual([
      ['a guest', 'no', 'no'],
      ['a signed-in user', 'yes', 'no'],
      ['its owner', 'yes', 'yes'],
    ])
  })

  it('shows no content of the row', async () => {
    expect((await ask(draft.id)).text).not.toContain('business')
  })

  it.each(['999999999', 'x', '-1', '1e3', '%00', '9'.repeat(40)])(
    'returns 404 for the record %s',
    async (id) => {
      const { status, text } = await ask(id)
      expect(status).toBe(404)
      expect(text).toContain('No TestNote with the id')
      expect(matrixOf(text)).toEqual([])
    },
  )

  it('returns 404 for an unknown resource', async () => {
    for (const resource of ['Nothing', '', 'TestNote&resource=User', '__proto__']) {
      expect((await app.guest.get(`/_dev/routes?resource=${resource}&id=1`)).status).toBe(404)
    }
  })
})
