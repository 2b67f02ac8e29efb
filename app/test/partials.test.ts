import { Eta } from 'eta'
import { sql } from 'kysely'
import { describe, expect, it } from 'vitest'
import { testApp } from './test-app.ts'

const app = await testApp()
const admin = await app.newcomer({ roles: ['admin'], name: 'Ned Admin' })

describe('form_errors.eta', () => {
  const views = new Eta({ views: 'views' })
  const rendered = (form: object, fields: string[] = []) =>
    views.render('/partials/form_errors', { form: { values: {}, errors: {}, ...form }, fields }).trim()

  it('contains the token of a new form, which browsers must not restore', () => {
    expect(rendered({ token: '"7' })).toBe(
      '<input type="hidden" name="_token" value="&quot;7" autocomplete="off">',
    )
    expect(rendered({})).toBe('')
  })

  it('counts the fields with errors if there are several', () => {
    const errors = { title: ['Enter a title.'], body: ['Enter a text.'] }
    expect(rendered({ errors }, ['title', 'body'])).toContain('2 fields have errors.')
    expect(rendered({ errors: { title: errors.title } }, ['title', 'body'])).toBe('')
  })
})

describe('reference.eta', () => {
  const views = new Eta({ views: 'views' })
  const choice = (value: string, selected = false) => ({ value, text: `Name ${value}`, selected })
  const rendered = (choices: object, options: object = {}) => {
    const form = { values: { owner_id: 2 }, errors: {} }
    const data = {
      form,
      name: 'owner_id',
      label: 'Owner',
      choices: { more: false, q: '', ...choices },
      ...options,
    }
    return views.render('/partials/reference', data).replaceAll(/\s+/g, ' ').replaceAll('> <', '><')
  }

  it('is a select for few records', () => {
    const html = rendered({ options: [choice('1'), choice('2', true)], searchable: false, found: 2 })
    expect(html).toContain(
      '<select dir="auto" id="field-owner_id" name="owner_id"><option value="1">Name 1</option><option value="2" selected>Name 2</option></select>',
    )
    expect(html).not.toMatch(/_find|hx-|<input|<small/)
  })

  it('has checkboxes for several records, and a search for many', () => {
    const options = [choice('1'), choice('2', true)]
    const few = rendered({ options, searchable: false, multiple: true, found: 2 })
    expect(few).toContain('<fieldset id="field-owner_id"><legend>Owner</legend>')
    const many = rendered({ options, searchable: true, multiple: true, found: 2 })
    expect(many).toMatch(/<fieldset id="field-owner_id-choices"[^>]*><legend class="visually-hidden">Owner/)
    for (const html of [few, many]) {
      expect(html).toMatch(/type="checkbox" id="field-owner_id-2" name="owner_id"[^>]* checked>/)
      expect(html.match(/ checked>/g)).toHaveLength(1)
    }
  })

  it('has buttons that move the chosen records of an ordered list', () => {
    const options = [choice('3', true), choice('1', true), choice('2')]
    const form = { values: { owner_id: [3, 1] }, errors: {}, move: 'up:owner_id:1' }
    for (const searchable of [false, true]) {
      const html = rendered({ options, searchable, multiple: true, ordered: true, found: 3 }, { form })
      const buttons = [...html.matchAll(/name="_move" value="([^"]*)" aria-label="([^"]*)"([^>]*)>/g)]
      expect(buttons.map(([, ...parts]) => parts)).toEqual([
        ['up:owner_id:3', 'Move up Name 3', ''],
        ['down:owner_id:3', 'Move down Name 3', ''],
        ['up:owner_id:1', 'Move up Name 1', ' autofocus'],
        ['down:owner_id:1', 'Move down Name 1', ''],
        ['up:owner_id:2', 'Move up Name 2', ''],
        ['down:owner_id:2', 'Move down Name 2', ''],
      ])
      // Enter in a field presses the first button.
      expect(/<button[^>]*>/.exec(html)?.[0]).toContain('aria-hidden="true"')
      expect(html.match(/ autofocus/g)).toHaveLength(1)
    }
  })

  it('shows the stored order of a list that another user changed', () => {
    const options = [choice('3', true), choice('1', true)]
    const form = { values: { owner_id: [3, 1] }, errors: {}, storedNow: { owner_id: [3, 1] } }
    const now = (ordered: boolean) =>
      /Current value: <span[^>]*>([^<]*)/.exec(
        rendered({ options, multiple: true, ordered, found: 2 }, { form }),
      )
    expect(now(true)?.[1]).toBe('Name 3, Name 1')
    expect(now(false)?.[1]).toBe('Name 1, Name 3')
  })

  it('is a search for many records, whose results begin with None and the chosen one', () => {
    const many = { options: [choice('1'), choice('2', true)], searchable: true, more: true, found: 2 }
    const html = rendered(many, { optional: true })
    const labels = [...html.matchAll(/type="radio" id="([^"]*)"[^>]*?( checked)?><span dir="auto">([^<]*)/g)]
    expect(labels.map(([, ...parts]) => parts)).toEqual([
      ['field-owner_id-none', undefined, 'None'],
      ['field-owner_id-2', ' checked', 'Name 2'],
      ['field-owner_id-1', undefined, 'Name 1'],
    ])
    expect(html).toContain('<label for="field-owner_id">Owner</label>')
    expect(html).toContain('aria-describedby="owner_id-optional owner_id-count"')
  })

  it('has ids of its own for each form, and texts without markup', () => {
    const form = { values: {}, errors: {}, ids: 'note-' }
    const html = rendered({ options: [], searchable: true, found: 0, q: '"><b>' }, { form })
    expect(html).toContain('hx-target="#note-owner_id-choices"')
    expect(html).toContain('id="note-owner_id-count"')
    expect(html).toContain('No results for “&quot;&gt;&lt;b&gt;”.')
  })
})

describe('labels.eta', () => {
  const views = new Eta({ views: 'views' })
  const rendered = (data: object) => {
    const labels = [
      [2, 'Red'],
      [3, undefined],
      [1, 'Blue'],
    ]
    return [...views.render('/partials/labels', { labels, ...data }).matchAll(/>([^<\s]+)</g)].map(
      ([, text]) => text,
    )
  }

  it('sorts the labels that the caller sees, unless they have an order', () => {
    expect(rendered({})).toEqual(['Blue', 'Red'])
    expect(rendered({ ordered: true })).toEqual(['Red', 'Blue'])
  })
})

describe('empty_list.eta', () => {
  it('shows the search term without results, and links to the whole list', async () => {
    const { text } = await admin.get('/users?q=%3Cb%3Enone&size=5&page=3')
    expect(text).toContain('No results for “&lt;b&gt;none”. <a href="/users?size=5">Show all users</a>')
  })

  it('shows the number of the last page on a page beyond it', async () => {
    const { text } = await admin.get('/users?q=ned&page=7')
    expect(text).toContain('Page 7 does not exist. The last page is 1.')
  })

  it('leads back from a page that is too far behind the counted rows', async () => {
    await sql`insert into users (name, email, password_digest)
      select 'Crowd', 'crowd' || n || '@example.org', '' from generate_series(1, 1001) n`.execute(app.db)
    const { status, text } = await admin.get('/users?page=99999999')
    expect(status).toBe(200)
    expect(text).toContain('Page 99999999 is too far from the first page.')
    expect(text).toContain('href="/users?page=50"')
    expect(text).toContain('50+')
  })
})
