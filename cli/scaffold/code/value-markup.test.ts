import { describe, expect, it } from 'vitest'
import { field, model, postModel, toModel, toUser } from '../models.ts'
import { ifThere } from './value-markup.ts'

describe('ifThere', () => {
  const title = field('title', 'string')
  const note = field('note', 'text', { nullable: true })
  const post = toModel('post', postModel)
  const reader = toUser('reader')
  const bookmark = model('bookmark', [title, note, post, reader])

  it('asks for what may be missing', () => {
    expect(ifThere(bookmark, title, 'x', '–')).toBe('x')
    expect(ifThere(bookmark, reader, 'x', '–')).toBe('x')
    expect(ifThere(bookmark, note, 'x')).toBe('<% if (bookmark.note !== null) { %>x<% } %>')
  })

  it('shows no link to a record that the viewer doesn’t see', () => {
    expect(ifThere(bookmark, post, '<a>x</a>', '–')).toBe(
      '<% if (posts.has(bookmark.post_id)) { %><a>x</a><% } else { %>–<% } %>',
    )
  })
})
