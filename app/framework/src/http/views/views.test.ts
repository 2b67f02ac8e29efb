import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { inContext, viewsIn } from './views.ts'

const folders: string[] = []
afterEach(() => folders.splice(0).forEach((folder) => rmSync(folder, { recursive: true })))

/** Returns a folder with these views, by their paths without `.eta`. */
function folderOf(views: Readonly<Record<string, string>>): string {
  const folder = mkdtempSync(join(tmpdir(), 'pergola-views-'))
  folders.push(folder)
  for (const [view, source] of Object.entries(views)) write(folder, view, source)
  return folder
}

function write(folder: string, view: string, source: string): void {
  const file = join(folder, `${view}.eta`)
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, source)
}

const production = { development: false }
const development = { development: true }

describe('viewsIn', () => {
  it.each([
    ['a tag that is not closed', 'a\n<%= it.x\n', 'line 2: unclosed tag'],
    ['a tag with invalid code', 'a\n<p>\n\n<%= a b %>\n', 'line 4: missing ) after argument list'],
    ['a code of several lines', '<%\n  const a = 1\n  const a = 2\n%>', "line 3: Identifier 'a' has already"],
    ['a block that is not closed', 'a\n<% if (it.x) { %>\nb\n', 'line 2: Unexpected token'],
  ])('throws the name and the line of a view with %s, except in development', (_, source, problem) => {
    const folder = folderOf({ 'notes/broken': source })
    expect(() => viewsIn(folder, production)).toThrow(`views/notes/broken.eta can't be compiled: `)
    expect(() => viewsIn(folder, production)).toThrow(problem)
    // A server prints the causes of an error, too.
    expect(() => viewsIn(folder, production)).toThrow(
      expect.not.objectContaining({ cause: expect.anything() as unknown }) as Error,
    )
    expect(() => viewsIn(folder, development)).not.toThrow()
  })

  it('reads no view while it renders, except in development', () => {
    const folder = folderOf({ page: "<%~ include('./part') %><%~ include('/part') %>", part: 'old ' })
    const views = viewsIn(folder, production)
    const changing = viewsIn(folder, development)
    write(folder, 'part', 'new ')
    expect(views.render('/page', {})).toBe('old old ')
    expect(changing.render('/page', {})).toBe('new new ')
  })

  it('resolves a relative path from the view that includes it', () => {
    const include = "<%~ include('./part') %>"
    const folder = folderOf({ 'a/page': include, 'a/part': 'A', 'b/page': include, 'b/part': 'B' })
    for (const options of [production, development]) {
      const views = viewsIn(folder, options)
      expect(views.render('/a/page', {}) + views.render('/b/page', {}) + views.render('/a/page', {})).toBe(
        'ABA',
      )
    }
  })

  it.each([production, development])(
    'passes an included view only the given data and the context, and a layout all data of its page: %j',
    (options) => {
      const show = '<%= it.given %> <%= it.own %> <%= it.site %>;'
      const page = "<% layout('/layout') %><%~ include('/part', { given: 1 }) %><%~ include('/part') %>"
      const folder = folderOf({ page, part: show, layout: `<%~ it.body %>${show}` })
      const html = viewsIn(folder, options).render('/page', inContext({ site: 3 }, { own: 2 }))
      expect(html.replaceAll('\n', '')).toBe('1  3;  3; 2 3;')
    },
  )

  it("renders the framework's partials, unless the application has its own", () => {
    const info = ['/partials/page_info', { text: '1–2 of 2' }] as const
    expect(viewsIn(folderOf({}), production).render(...info)).toContain('<p class="meta">1–2 of 2</p>')
    const own = folderOf({ 'partials/page_info': '<b><%= it.text %></b>' })
    expect(viewsIn(own, production).render(...info)).toBe('<b>1–2 of 2</b>')
  })

  it('renders the same page in development', () => {
    const folder = folderOf({
      page: '<ul>\n  <% for (const n of it.list) { %>\n  <li><%= n %></li>\n  <% } %>\n</ul>\n',
    })
    const [one, other] = [production, development].map((options) =>
      viewsIn(folder, options).render('/page', { list: ['  a\n  b', '\\n'] }),
    )
    expect(one).toMatch(/^<ul>\n *<li>  a\n  b<\/li>\n *<li>\\n<\/li>\n<\/ul>\n$/)
    const lines = (html: string | undefined) => html?.split(/\s*\n\s*/)
    expect(lines(other)).toEqual(lines(one))
  })
})
