import type { Eta } from 'eta'
import type { CursorPage } from '../pagination/cursor-page.ts'
import { cursorPagerModel } from '../pagination/cursor-pager.ts'
import { loadMoreModel, type LoadMoreOptions } from '../pagination/load-more.ts'
import { loadedStatus, pageInfo, pageStatus } from '../pagination/page-info.ts'
import type { AnyPage } from '../pagination/page.ts'
import { pagerModel } from '../pagination/pager.ts'
import { pageJumpForm, pageSizeForm, type PageSizeOptions } from '../pagination/pager-forms.ts'
import type { PagerLanguage } from '../pagination/pager-labels.ts'
import type { PagerOptions } from '../pagination/pager-links.ts'

/** Where the links of a page lead unless they are told. */
interface Here {
  readonly basePath: string
  readonly query: string
}

/** What views draw of lists: each a partial that people edit, over a model that knows no HTML. */
export function pagerViews(views: Eta, here: Here) {
  const draw = (partial: string, model: object | null) =>
    model === null ? '' : views.render(`/partials/${partial}`, model)
  const distinct = distinctLabels()
  return {
    paginationNav: (page: AnyPage, pager: Partial<PagerOptions> = {}) =>
      draw('pagination_nav', distinct(pagerModel(page, { ...here, ...pager }))),
    cursorPaginationNav: (page: CursorPage<unknown>, pager: Partial<PagerOptions> = {}) =>
      draw('cursor_pagination_nav', distinct(cursorPagerModel(page, { ...here, ...pager }))),
    pageInfo: (page: AnyPage, language: PagerLanguage = {}) => draw('page_info', infoModel(page, language)),
    pageSize: (page: AnyPage | CursorPage<unknown>, pager: Partial<PageSizeOptions> = {}) =>
      draw('page_size', pageSizeForm(page, { ...here, ...pager })),
    pageJump: (page: AnyPage, pager: Partial<PagerOptions> = {}) =>
      draw('page_jump', pageJumpForm(page, { ...here, ...pager })),
    loadMore: (page: CursorPage<unknown>, more: Pick<LoadMoreOptions, 'list'> & Partial<LoadMoreOptions>) =>
      draw('load_more', loadMoreModel(page, { ...here, ...more })),
    pageStatus,
    loadedStatus,
  }
}

function infoModel(page: AnyPage, language: PagerLanguage) {
  const text = pageInfo(page, language)
  return text === null ? null : { text }
}

/** Two pagers of one name are told apart by nobody who hears them, and have the same ids. */
function distinctLabels() {
  const seen = new Set<string>()
  return <Model extends { readonly id: string; readonly label: string }>(model: Model): Model => {
    if (seen.has(model.id))
      throw new Error(`Two pagers of this page are called “${model.label}”: give one a label of its own.`)
    seen.add(model.id)
    return model
  }
}
