import { describe, expect, it } from 'vitest'
import { loadMoreModel } from './load-more.ts'

const page = (next: string | null) => ({
  content: [],
  size: 20,
  next_cursor: next,
  prev_cursor: null,
  has_next: next !== null,
  has_previous: false,
})
const options = { basePath: '/feed', query: '?size=5&page=2&cursor=x', list: 'feed' }

describe('loadMoreModel', () => {
  it('returns a link that htmx replaces with the next items', () => {
    expect(loadMoreModel(page('n'), options)).toEqual({
      id: 'feed-more',
      problem: 'feed-more-problem',
      text: 'Load more',
      hx: [],
      link: {
        href: '/feed?size=5&cursor=n',
        hx: [
          ['hx-get', '/feed?size=5&cursor=n'],
          ['hx-target', '#feed-more'],
          ['hx-sync', '#feed-more:replace'],
          ['hx-swap', 'outerHTML'],
          ['hx-select', '#feed > *'],
          ['hx-status:4xx', 'target:#feed-more-problem select:#problem-text swap:innerHTML'],
          ['hx-status:5xx', 'target:#feed-more-problem select:#problem-text swap:innerHTML'],
        ],
      },
    })
  })

  it('loads automatically on scroll, and drops that request during one by click', () => {
    expect(Object.fromEntries(loadMoreModel(page('n'), { ...options, auto: true })?.hx ?? [])).toEqual({
      'hx-get': '/feed?size=5&cursor=n',
      'hx-target': '#feed-more',
      'hx-sync': '#feed-more:drop',
      'hx-swap': 'outerHTML',
      'hx-select': '#feed > *',
      'hx-status:4xx': 'target:#feed-more-problem select:#problem-text swap:innerHTML',
      'hx-status:5xx': 'target:#feed-more-problem select:#problem-text swap:innerHTML',
      'hx-trigger': 'revealed',
    })
  })

  it('returns null at the end of the list', () => {
    expect(loadMoreModel(page(null), options)).toBeNull()
  })

  it('uses the labels of another language', () => {
    expect(loadMoreModel(page('n'), { ...options, labels: { loadMore: 'Afficher plus' } })?.text).toBe(
      'Afficher plus',
    )
  })
})
