import { describe, expect, it } from 'vitest'
import { importsOf, includesOf } from './imported-files.ts'

describe('importsOf', () => {
  it.each([
    ["import { posts } from './posts/post.ts'", 'app/posts/post.ts'],
    ['import { posts } from "./posts/post.ts"', 'app/posts/post.ts'],
    ["import type {\n  Post,\n} from '#app/posts/post.ts'", 'app/posts/post.ts'],
    ["export * from '../app/posts/post.ts'", 'app/posts/post.ts'],
    ["import './posts/post.ts'", 'app/posts/post.ts'],
    ['import "./posts/post.ts"', 'app/posts/post.ts'],
    ["  const { posts } = await import('./posts/post.ts')", 'app/posts/post.ts'],
    ['  const { posts } = await import(\n    "./posts/post.ts"\n  )', 'app/posts/post.ts'],
    ['type Posts = typeof import(`./posts/post.ts`)', 'app/posts/post.ts'],
  ])('finds what is imported: %s', (text, path) => {
    expect(importsOf('app/app.ts', text)).toEqual([path])
  })

  it('ignores words that import nothing', () => {
    expect(
      importsOf('app/app.ts', "const text = 'from \\'./posts/post.ts\\''\n// See './posts/post.ts'.\n"),
    ).toEqual([])
  })
})

describe('includesOf', () => {
  it.each([
    ["<%~ include('/posts/_form', { form }) %>", 'views/posts/_form.eta'],
    ['<%~ await includeAsync("/posts/_form.eta") %>', 'views/posts/_form.eta'],
    ["<% layout('../posts/page') %>", 'views/posts/page.eta'],
    ["<%~ include('./_form') %>", 'views/users/_form.eta'],
  ])('finds included views: %s', (text, path) => {
    expect(includesOf('views/users/show.eta', text)).toEqual([path])
  })
})
