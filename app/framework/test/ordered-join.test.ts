import { type Generated, sql } from 'kysely'
import { beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { z } from 'zod'
import {
  authorize,
  field,
  load,
  policy,
  record,
  referenceChoices,
  repository,
  resource,
  routes,
  scope,
  secured,
  withDatabase,
} from 'pergola'
import { history, type JoinedIds, joinTable } from 'pergola/features'
import { testDatabase } from 'pergola/testing'
import { testApp } from './fixtures/test-app.ts'
import { users } from './fixtures/user.ts'

declare module 'pergola' {
  interface Tables {
    songs: { id: Generated<number>; name: string; secret: Generated<boolean> }
    playlists: {
      id: Generated<number>
      title: string
      owner_id: number
      song_ids: JoinedIds
      version: Generated<number>
    }
    playlist_songs: { playlist_id: number; song_id: number; position: number }
  }
}

const Song = resource('Song', {
  table: 'songs',
  label: 'name',
  input: z.strictObject({ name: field.string(), secret: field.boolean().default(false) }),
})
const songs = repository(Song, {
  policy: policy(Song, { canShow: (ctx, song) => !song.secret || ctx.hasRole('admin') }),
  scope: scope(Song, {
    where: (ctx, is) => (ctx.hasRole('admin') ? is.lit(true) : is('secret', '=', false)),
  }),
})

const Playlist = resource('Playlist', {
  table: 'playlists',
  label: 'title',
  input: z.strictObject({ title: field.string(), song_ids: field.references().default([]) }),
  owner: 'owner_id',
  references: { song_ids: Song },
  joins: {
    song_ids: joinTable('playlist_songs', { own: 'playlist_id', other: 'song_id', position: 'position' }),
  },
  version: true,
})
const beforeUpdate = vi.fn<(row: object, changes: object) => void>()
const playlists = repository(Playlist, {
  api: '/api/playlists',
  policy: policy(Playlist, {
    canShow: (ctx, playlist) => ctx.owns(playlist.owner_id) || ctx.hasRole('admin'),
    canCreate: (ctx) => ctx.userId !== null,
    canUpdate: (ctx, playlist) => ctx.owns(playlist.owner_id) || ctx.hasRole('admin'),
  }),
  scope: scope(Playlist, { where: (_ctx, is) => is.lit(true) }),
  features: [history],
  hooks: { beforeUpdate },
})
const playlistRoutes = routes('/playlists', {
  'PUT /:id': [
    secured(),
    load(Playlist),
    authorize('update', Playlist),
    async (req, res) => {
      const form = await playlists.updateFrom(req, record(req, Playlist, 'update'))
      if (form.valid) res.json(form.stored)
      else res.status(form.status).json({ form, choices: await referenceChoices(req, Playlist, form) })
    },
  ],
})

const database = await testDatabase()
const app = await testApp({
  database,
  resources: [
    { repository: playlists, routes: { playlistRoutes } },
    { repository: songs },
    { repository: users },
  ],
})
const [owner, admin] = await Promise.all([app.newcomer(), app.newcomer({ roles: ['admin'] })])
const within = <Result>(work: () => Promise<Result>) => withDatabase(database.db, work)
const system = playlists.asSystem('a test')
/** Songs that every caller sees, and songs that only admins see. */
let [a, b, c, x, y] = [0, 0, 0, 0, 0]

beforeAll(async () => {
  await sql`create table songs (id bigint generated always as identity primary key, name text not null,
    secret boolean not null default false)`.execute(database.db)
  await sql`create table playlists (id bigint generated always as identity primary key, title text not null,
    owner_id bigint not null references users, version integer not null default 1)`.execute(database.db)
  await sql`create table playlist_songs (playlist_id bigint not null references playlists on delete cascade,
    song_id bigint not null references songs on delete cascade, position integer not null,
    primary key (playlist_id, song_id))`.execute(database.db)
  const secret = true
  const names = [{ name: 'Aria' }, { name: 'Bolero' }, { name: 'Canon' }]
  ;[a = 0, b = 0, c = 0, x = 0, y = 0] = await within(() =>
    songs.asSystem('a test').saveMany([...names, { name: 'Xylem', secret }, { name: 'Yodel', secret }]),
  )
})
beforeEach(() => beforeUpdate.mockClear())

const make = (song_ids: readonly number[]) =>
  within(() => system.insert({ title: 'A', owner_id: owner.user.id, song_ids }))
const stored = async (id: number) => (await within(() => system.find(id)))?.song_ids
const put = (id: number, json: object, client = owner) =>
  client.put(`/api/playlists/${id}`, { json, headers: { 'if-match': '*' } })
const send = (id: number, fields: string) =>
  owner.post(`/playlists/${id}`, {
    body: `_method=PUT&title=A&${fields}`,
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
  })

describe('joinTable with a position', () => {
  it('stores the list in the order in which it is written: each id once', async () => {
    const { id, song_ids } = await make([c, a, c, b])
    expect(song_ids).toEqual([c, a, b])
    expect(await stored(id)).toEqual([c, a, b])
    const [other = 0] = await within(() =>
      system.saveMany([{ title: 'B', owner_id: owner.user.id, song_ids: [b, a] }]),
    )
    expect(await stored(other)).toEqual([b, a])
    expect((await within(() => system.findAll())).find((row) => row.id === other)?.song_ids).toEqual([b, a])
  })

  it('keeps the order when a record of the list is deleted', async () => {
    const [song = 0] = await within(() => songs.asSystem('a test').saveMany([{ name: 'Gone' }]))
    const { id } = await make([c, song, a])
    await within(() => songs.asSystem('a test').delete(song))
    expect(await stored(id)).toEqual([c, a])
    await within(() => system.update(id, { song_ids: [c, a, b] }))
    expect(await stored(id)).toEqual([c, a, b])
  })

  it('treats another order as a change of the record', async () => {
    const { id } = await make([a, b])
    expect((await put(id, { song_ids: [a, b] })).json()).toMatchObject({ song_ids: [a, b], version: 1 })
    expect(beforeUpdate).not.toHaveBeenCalled()
    const changed = await put(id, { song_ids: [b, a] })
    expect(changed.json()).toMatchObject({ song_ids: [b, a], version: 2 })
    expect(beforeUpdate.mock.lastCall?.slice(0, 2)).toMatchObject([
      { song_ids: [a, b] },
      { song_ids: [b, a] },
    ])
    expect((await owner.get(`/api/playlists/${id}`)).json()).toMatchObject({ song_ids: [b, a] })
    const { content } = await within(() => system.history(id))
    expect(content[0]?.changes).toEqual([{ field: 'song_ids', from: [a, b], to: [b, a] }])
  })

  it('shows a form for another version, if only the order differs', async () => {
    const { id } = await make([a, b])
    expect((await send(id, `_version=1&song_ids=${b}&song_ids=${a}`)).json()).toMatchObject({ version: 2 })
    const conflict = await send(id, `_version=1&song_ids=${a}&song_ids=${b}`)
    expect([conflict.status, conflict.json()]).toMatchObject([
      409,
      { form: { storedNow: { song_ids: [b, a] } } },
    ])
    // A second submission of the same form is not a conflict.
    expect((await send(id, `_version=1&song_ids=${b}&song_ids=${a}`)).json()).toMatchObject({ version: 2 })
  })

  it.each<[string, () => [number[], number[], number[]]]>([
    [
      'behind the id that they followed',
      () => [
        [a, x, b, y, c],
        [c, b, a],
        [c, b, y, a, x],
      ],
    ],
    [
      'at the beginning',
      () => [
        [x, y, a, b],
        [b, a],
        [x, y, b, a],
      ],
    ],
    ['behind the id before one that was removed', () => [[a, b, x], [a], [a, x]]],
    ['at the beginning, if all ids before them were removed', () => [[a, x, b], [b], [x, b]]],
    ['in an empty list', () => [[a, x, y], [], [x, y]]],
  ])('keeps ids that the caller does not see %s', async (_, lists) => {
    const [before, written, after] = lists()
    const { id } = await make(before)
    const answer = await put(id, { song_ids: written })
    expect(answer.json()).toMatchObject({ song_ids: written })
    expect(answer.text).not.toContain('Xylem')
    expect(await stored(id)).toEqual(after)
  })

  it('shows neither the ids that the caller does not see, nor changes of their places', async () => {
    const { id } = await make([x, b, a])
    expect((await owner.get(`/api/playlists/${id}`)).json()).toMatchObject({ song_ids: [b, a] })
    await put(id, { song_ids: [b, x, a] }, admin)
    expect(await stored(id)).toEqual([b, x, a])
    const changed = await put(id, { song_ids: [b, a] })
    expect(changed.json()).toMatchObject({ song_ids: [b, a], version: 2 })
    expect(await stored(id)).toEqual([b, x, a])
  })
})

interface Shown {
  form: { values: { song_ids: string[] }; move?: string }
  choices: { song_ids: { ordered: boolean; options: { value: string; text: string; selected: boolean }[] } }
}

describe('the form of an ordered list', () => {
  const chosen = (text: string) => {
    const { options } = (JSON.parse(text) as Shown).choices.song_ids
    const count = options.filter(({ selected }) => selected).length
    return options.slice(0, count).map(({ text }) => text)
  }

  it.each([
    ['up', 'Aria', ['Aria', 'Canon', 'Bolero']],
    ['up', 'Canon', ['Canon', 'Aria', 'Bolero']],
    ['down', 'Canon', ['Aria', 'Canon', 'Bolero']],
    ['down', 'Bolero', ['Canon', 'Aria', 'Bolero']],
    ['up', 'Xylem', ['Canon', 'Aria', 'Bolero']],
  ])('moves a chosen record %s: %s', async (way, name, order) => {
    const { id } = await make([a])
    const ids = { Aria: a, Bolero: b, Canon: c, Xylem: x } as Record<string, number>
    const button = `${way}:song_ids:${ids[name]}`
    const list = [c, a, b].map((song) => `song_ids=${song}`).join('&')
    const { status, text, headers } = await send(id, `_version=1&${list}&_move=${button}`)
    expect([status, headers.get('hx-push-url')]).toEqual([200, 'false'])
    expect(chosen(text)).toEqual(order)
    expect(JSON.parse(text)).toMatchObject({
      form: { move: button },
      choices: { song_ids: { ordered: true } },
    })
    expect(text).not.toContain('Xylem')
    expect(await stored(id)).toEqual([a])
  })

  it.each(['up:title:1', 'up:__proto__:1', 'left:song_ids:1', 'up', ''])(
    'stores the form if the button is unknown: %j',
    async (button) => {
      const { id } = await make([])
      const answer = await send(id, `_version=1&song_ids=${b}&song_ids=${a}&_move=${button}`)
      expect(answer.json()).toMatchObject({ song_ids: [b, a] })
    },
  )

  it('keeps the order when the user searches', async () => {
    const { id } = await make([])
    const fields = `_version=1&song_ids=${c}&song_ids=${a}&_find=song_ids&_find_song_ids=bol`
    expect(chosen((await send(id, fields)).text)).toEqual(['Canon', 'Aria'])
  })
})
