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

/** The default path and query of the links. */
interface ListUrl {
  readonly basePath: string
  readonly query: string
}

/** Returns the pager helpers of views. The markup is in partials, which an application can override. */
export function pagerViews(views: Eta, url: ListUrl) {
  const render = (partial: string, model: object | null) =>
    model === null ? '' : views.render(`/partials/${partial}`, model)
  const distinct = distinctLabels()
  return {
    paginationNav: (page: AnyPage, pager: Partial<PagerOptions> = {}) =>
      render('pagination_nav', distinct(pagerModel(page, { ...url, ...pager }))),
    cursorPaginationNav: (page: CursorPage<unknown>, pager: Partial<PagerOptions> = {}) =>
      render('cursor_pagination_nav', distinct(cursorPagerModel(page, { ...url, ...pager }))),
    pageInfo: (page: AnyPage, language: PagerLanguage = {}) => render('page_info', infoModel(page, language)),
    pageSize: (page: AnyPage | CursorPage<unknown>, pager: Partial<PageSizeOptions> = {}) =>
      render('page_size', pageSizeForm(page, { ...url, ...pager })),
    pageJump: (page: AnyPage, pager: Partial<PagerOptions> = {}) =>
      render('page_jump', pageJumpForm(page, { ...url, ...pager })),
    loadMore: (page: CursorPage<unknown>, more: Pick<LoadMoreOptions, 'list'> & Partial<LoadMoreOptions>) =>
      render('load_more', loadMoreModel(page, { ...url, ...more })),
    pageStatus,
    loadedStatus,
  }
}

function infoModel(page: AnyPage, language: PagerLanguage) {
  const text = pageInfo(page, language)
  return text === null ? null : { text }
}

/**
 * Returns a function that throws for a second pager with the same label. Screen readers can't distinguish such pagers,
 * and their element ids would not be unique.
 */
function distinctLabels() {
  const ids = new Set<string>()
  return <Model extends { readonly id: string; readonly label: string }>(model: Model): Model => {
    if (ids.has(model.id))
      throw new Error(
        `Two pagers on this page have the label “${model.label}”. Set another label for one of them.`,
      )
    ids.add(model.id)
    return model
  }
}
