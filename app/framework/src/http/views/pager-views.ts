import type { Eta } from 'eta'
import type { CursorPage } from '../../pagination/cursor-page.ts'
import { cursorPagerModel } from '../../pagination/cursor-pager.ts'
import type { ListAddress } from '../../pagination/list-links.ts'
import { loadMoreModel, type LoadMoreOptions } from '../../pagination/load-more.ts'
import { loadedStatus, pageStatus } from '../../pagination/page-info.ts'
import type { AnyPage } from '../../pagination/page.ts'
import type { PageSizeOptions } from '../../pagination/pager-forms.ts'
import { type PagerLanguage, wording } from '../../pagination/pager-labels.ts'
import { elementId, type PagerOptions } from '../../pagination/pager-links.ts'
import { sizeChoices } from '../../pagination/page-size.ts'
import { html } from './html.ts'
import { listView } from './list-views.ts'

/**
 * Returns the pager helpers of views. `url` is the default path and query of their links. The markup is in partials, which
 * an application can override.
 */
export function pagerViews(views: Eta, url: ListAddress) {
  const render = (partial: string, model: object | null) =>
    html(model === null ? '' : views.render(`/partials/${partial}`, model))
  const distinct = distinctLabels()
  return {
    paginationNav: (page: AnyPage, pager: Partial<PagerOptions> = {}) =>
      listView(views, 'pagination_nav', withoutRows(page), { ...url, ...distinct(pager) }),
    cursorPaginationNav: (page: CursorPage<unknown>, pager: Partial<PagerOptions> = {}) =>
      render('cursor_pagination_nav', cursorPagerModel(page, { ...url, ...distinct(pager) })),
    pageInfo: (page: AnyPage, language: PagerLanguage = {}) =>
      listView(views, 'page_info', withoutRows(page), language),
    pageSize: (page: AnyPage | CursorPage<unknown>, pager: Partial<PageSizeOptions> = {}) =>
      listView(
        views,
        'page_size',
        { size: page.size },
        { ...url, ...pager, sizes: pager.sizes ?? sizeChoices(page) },
      ),
    pageJump: (page: AnyPage, pager: Partial<PagerOptions> = {}) =>
      listView(views, 'page_jump', withoutRows(page), { ...url, ...pager }),
    loadMore: (page: CursorPage<unknown>, more: Pick<LoadMoreOptions, 'list'> & Partial<LoadMoreOptions>) =>
      render('load_more', loadMoreModel(page, { ...url, ...more })),
    pageStatus,
    loadedStatus,
  }
}

/** Returns a page as its pagers need it: of its rows, only their number. */
const withoutRows = (page: AnyPage): AnyPage => ({ ...page, content: { length: page.content.length } as [] })

/**
 * Returns a function that throws for a second pager with the same label. Screen readers can't distinguish such pagers,
 * and their element ids would not be unique.
 */
function distinctLabels() {
  const ids = new Set<string>()
  return (pager: Partial<PagerOptions>): Partial<PagerOptions> => {
    const label = pager.label ?? wording(pager).pagination
    const id = elementId(label)
    if (ids.has(id))
      throw new Error(`Two pagers on this page have the label “${label}”. Set another label for one of them.`)
    ids.add(id)
    return pager
  }
}
