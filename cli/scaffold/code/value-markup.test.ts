import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { existingIn } from '../existing.ts'
import type { Field } from '../model.ts'
import { askedBy } from '../read/options.ts'
import { readModel } from '../read/read-model.ts'
import { ifThere } from './value-markup.ts'

const existing = await existingIn(join(import.meta.dirname, '../../..'))
const command = 'bookmark title:string note:text? post:references reader:references:user'
const { model: bookmark } = readModel(askedBy(command.split(' ')), existing)
const [title, note, post, reader] = bookmark.fields as [Field, Field, Field, Field]

describe('ifThere', () => {
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
