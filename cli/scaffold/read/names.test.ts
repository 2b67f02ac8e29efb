import { describe, expect, it } from 'vitest'
import { namesOf, withArticle, wordsOf } from './names.ts'

describe('namesOf', () => {
  it.each(['BlogPost', 'blog_post', 'blog-post', 'blogPost', 'blog_posts', 'BlogPosts'])(
    'returns every form of %s',
    (text) => {
      expect(namesOf(text)).toEqual({
        resource: 'BlogPost',
        type: 'BlogPost',
        one: 'blogPost',
        record: 'blogPost',
        many: 'blogPosts',
        file: 'blog-post',
        folder: 'blog-posts',
        table: 'blog_posts',
        human: 'blog post',
        humans: 'blog posts',
        title: 'Blog post',
        titles: 'Blog posts',
      })
    },
  )

  it('avoids names that generated code already uses', () => {
    expect(namesOf('form')).toMatchObject({
      resource: 'Form',
      one: 'form',
      record: 'formRecord',
      many: 'forms',
      table: 'forms',
    })
    expect(namesOf('value')).toMatchObject({ resource: 'Value', one: 'value', many: 'valueList' })
  })

  it.each(['me', 'page', 'status', 'nav', 'excerpt', 'member', 'ctx', 'it'])(
    'returns another name for a record %s',
    (word) => {
      expect(namesOf(word)).toMatchObject({ one: word, record: `${word}Record` })
    },
  )

  it.each(['class', 'default', 'new', 'toString'])(
    'returns a valid variable name for a record %s',
    (word) => {
      expect(namesOf(word)).toMatchObject({ record: `${word}Record` })
    },
  )

  it.each(['Error', 'Promise', 'Record', 'Handler'])(
    'returns an unused type name for a resource %s',
    (word) => {
      expect(namesOf(word)).toMatchObject({ resource: word, type: `${word}Record` })
    },
  )

  it.each([
    ['post', 'posts'],
    ['slice', 'slices'],
    ['delta', 'deltas'],
    ['menu', 'menus'],
    ['cafe', 'cafes'],
    ['person', 'people'],
    ['category', 'categories'],
    ['status', 'statuses'],
    ['box', 'boxes'],
    ['child', 'children'],
    ['zombie', 'zombies'],
    ['class', 'classes'],
    ['bureau', 'bureaus'],
    ['cookie', 'cookies'],
    ['movie', 'movies'],
    ['alias', 'aliases'],
    ['address', 'addresses'],
    ['lens', 'lenses'],
    ['cactus', 'cacti'],
    ['analysis', 'analyses'],
    ['basis', 'bases'],
    ['axis', 'axes'],
    ['cache', 'caches'],
    ['shoe', 'shoes'],
    ['gas', 'gases'],
    ['leaf', 'leaves'],
    ['hero', 'heroes'],
    ['key', 'keys'],
    ['process', 'processes'],
    ['canvas', 'canvases'],
    ['quiz', 'quizzes'],
    ['index', 'indices'],
    ['test_model', 'test_models'],
    ['order_line_item', 'order_line_items'],
    ['status_change', 'status_changes'],
    ['office_person', 'office_people'],
  ])('returns the plural of %s: %s', (one, many) => {
    expect(namesOf(one)).toMatchObject({ file: one.replaceAll('_', '-'), table: many })
  })

  it.each([
    ['posts', 'post'],
    ['people', 'person'],
    ['categories', 'category'],
    ['statuses', 'status'],
    ['zombies', 'zombie'],
    ['analyses', 'analysis'],
    ['cookies', 'cookie'],
    ['children', 'child'],
    ['photos', 'photo'],
    ['ideas', 'idea'],
    ['menus', 'menu'],
    ['criteria', 'criterion'],
  ])('accepts %s as the plural of %s', (many, one) => {
    expect(namesOf(many)).toEqual(namesOf(one))
  })

  it.each(['news', 'sheep', 'equipment', 'series', 'pokemon', 'media', 'data', 'meta', 'staff'])(
    'returns the same singular and plural for %s',
    (word) => {
      expect(namesOf(word)).toMatchObject({ one: word, many: `${word}List`, table: word, folder: word })
    },
  )

  it('uses a given plural, and the name as the singular', () => {
    expect(namesOf('bureau', { plural: 'bureaux' })).toMatchObject({ many: 'bureaux', table: 'bureaux' })
    expect(namesOf('blog_post', { plural: 'BlogEntries' })).toMatchObject({
      one: 'blogPost',
      many: 'blogEntries',
      folder: 'blog-entries',
    })
    expect(namesOf('posts', { plural: 'posts' })).toMatchObject({ resource: 'Posts', many: 'postsList' })
  })
})

describe('wordsOf', () => {
  it.each([
    ['HTTPLog', ['http', 'log']],
    ['blog post', ['blog', 'post']],
    ['Post2', ['post2']],
    ['oauth2Token', ['oauth2', 'token']],
    ['__post__', ['post']],
  ])('splits %s', (text, words) => {
    expect(wordsOf(text)).toEqual(words)
  })
})

describe('withArticle', () => {
  it.each([
    'a book',
    'an entry',
    'an assignee',
    'a euro',
    'an hour',
    'a house',
    'an offer',
    'a one-time code',
    'an uncle',
    'a user',
    'a unit',
    'a utility',
  ])('returns %s', (said) => {
    expect(withArticle(said.replace(/^an? /, ''))).toBe(said)
  })
})
