import { describe, expect, it } from 'vitest'
import { EMPTY_PROJECT } from '../../test-support/empty-project.ts'
import type { Field, Target } from '../field-types/field-type.ts'
import { namesOf } from '../read/names.ts'
import { askedBy } from '../read/options.ts'
import { readModel } from '../read/read-model.ts'
import { ifThere } from './value-markup.ts'

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
