import { describe, expect, it } from 'vitest'
import { EMPTY_PROJECT } from '../../test-support/empty-project.ts'
import type { Field, Target } from '../field-types/field-type.ts'
import { namesOf } from '../read/names.ts'
import { askedBy } from '../read/options.ts'
import { readModel } from '../read/read-model.ts'
import { ifThere, valueMarkup } from './value-markup.ts'

const target = (name: string): Target => ({
  names: namesOf(name),
  label: 'title',
  id: 'bigint',
  isUser: name === 'user',
  isSelf: false,
})
const existing = { ...EMPTY_PROJECT, targets: [target('user'), target('post')] }
const command = 'bookmark title:string note:text? post:references reader:references:user'
const { model: bookmark } = readModel(askedBy(command.split(' ')), existing)
const [title, note, post, reader] = bookmark.fields as [Field, Field, Field, Field]

describe('ifThere', () => {
  it('checks optional values', () => {
    expect(ifThere(bookmark, title, 'x', '–')).toBe('x')
    expect(ifThere(bookmark, reader, 'x', '–')).toBe('x')
    expect(ifThere(bookmark, note, 'x')).toBe('<% if (bookmark.note !== null) { %>x<% } %>')
  })

  it('shows no link to a hidden record', () => {
    expect(ifThere(bookmark, post, '<a>x</a>', '–')).toBe(
      '<% if (posts.has(bookmark.post_id)) { %><a>x</a><% } else { %>–<% } %>',
    )
  })
})

describe('valueMarkup', () => {
  const markupOf = (words: string) => {
    const { model } = readModel(askedBy(['task', 'title:string', ...words.split(' ')]), EMPTY_PROJECT)
    return model.fields.slice(1).map((field) => valueMarkup(model, field))
  }
  const due = (done: string) => `<%~ include('/partials/due', { value: task.due_on${done} }) %>`
  const badge = (column: string, dot = '') =>
    `<%~ include('/partials/badge', { value: task.${column}${dot} }) %>`

  it.each([
    ['due_on:date', [due('')]],
    [
      'due_on:date state:states:open/closed',
      [due(", done: ['closed'].includes(task.state)"), badge('state', ', dot: true')],
    ],
    ['due_on:date state:states:open/closed/open', [due(''), badge('state', ', dot: true')]],
    [
      'due_on:date status:enum:new,solved,done',
      [due(", done: ['solved', 'done'].includes(task.status)"), badge('status', ', dot: true')],
    ],
    ['due_on:date status:enum?:new,done', [due(''), badge('status', ', dot: true')]],
    ['due_on:date level:enum:low,done', [due(''), badge('level')]],
    ['day:date', ['<time datetime="<%= task.day %>"><%= it.formatDate(task.day) %></time>']],
  ])('of %s marks a day that has passed, and states', (words, markup) => {
    expect(markupOf(words)).toEqual(markup)
  })
})
