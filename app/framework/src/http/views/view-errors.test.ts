import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { renderView } from './view-errors.ts'
import { textViewsIn, viewsIn } from './views.ts'

interface Views {
  readonly page: string
  readonly part?: string
  readonly layout?: string
}

/** Returns the message of the error of a page. */
function messageOf(
  { page, part = '', layout = '<%~ it.body %>' }: Views,
  open = viewsIn,
  development = true,
) {
  const folder = mkdtempSync(join(tmpdir(), 'view-errors-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  for (const [name, source] of Object.entries({ page, part, layout }))
    writeFileSync(join(folder, `${name}.eta`), source)
  const views = open(folder, { development, isLazy: true })
  try {
    return renderView(views, '/page', {})
  } catch (error) {
    return (error as Error).message.replaceAll(folder, '')
  }
}

describe('renderView', () => {
  it('names the line of the view, and quotes the lines around it', () => {
    expect(messageOf({ page: '<h1>Post</h1>\n<p><%= note.title %></p>\n</main>' })).toBe(
      'views/page.eta:2: note is not defined\n\n' +
        '    1| <h1>Post</h1>\n >> 2| <p><%= note.title %></p>\n    3| </main>\n',
    )
  })

  it.each([
    ['a view that includes it', { page: "a\n<%~ include('/part') %>", part: '\n\n<%= it.a.b %>' }],
    [
      'its layout',
      { page: "<% layout('/layout') %>", layout: "<%~ include('/part') %>", part: '\n\n<%= it.a.b %>' },
    ],
  ])('names the line of a partial, not that of %s', (_, views) => {
    expect(messageOf(views)).toMatch(
      /^views\/part\.eta:3: Cannot read properties of undefined \(reading 'b'\)\n/,
    )
  })

  it.each([
    ['a tag that is not closed', 'a\n<%= it.x\n', 2, 'unclosed tag'],
    ['a string that is not closed', 'a\n<%= "b %>\n', 2, 'unclosed string'],
    ['invalid code', 'a\n<p>\n\n<%= a b %>\n', 4, 'missing ) after argument list'],
    ['a block that is not closed', 'a\n<% if (it.x) { %>\nb\n', 2, "Unexpected token 'catch'"],
  ])('names the line of %s', (_, part, line, problem) => {
    expect(messageOf({ page: part })).toContain(`views/page.eta:${line}: ${problem}\n\n`)
    expect(messageOf({ page: "<%~ include('/part') %>", part })).toContain(
      `views/part.eta:${line}: ${problem}\n\n`,
    )
    expect(messageOf({ page: part }, textViewsIn)).toContain(`views/page.eta:${line}: ${problem}\n\n`)
  })

  it('names the line that includes a missing partial', () => {
    const message = messageOf({ page: "a\n<%~ include('/partials/nothing') %>" })
    expect(message).toMatch(/^views\/page\.eta:2: Could not find template: .*partials\/nothing\.eta\n\n/)
    expect(message).toContain(" >> 2| <%~ include('/partials/nothing') %>")
  })

  it('names only the page in production', () => {
    expect(messageOf({ page: '<%= note.title %>' }, viewsIn, false)).toBe(
      'views/page.eta, or a view it includes: note is not defined',
    )
  })
})
