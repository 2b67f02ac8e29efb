import { escapeHtml } from 'pergola/app'
import { excerpt, html, type Page } from '../supervisor-page.ts'

export const ERRORS_PATH = '/_dev/types'

/** Returns the page that lists the errors of types, each with the lines around it. `check` is the number of their check. */
export function errorsPage(errors: readonly string[], check: number): Page {
  const title = countOf(errors)
  return html(title, [
    `<p data-check="${check}">The types of views and code are checked after each change.</p>`,
    ...errors.flatMap((error) => {
      const [, file = '', line = '', message = error] = ERROR.exec(error) ?? []
      return [`<p><strong>${escapeHtml(message)}</strong></p>`, file === '' ? '' : excerpt(`${file}:${line}`)]
    }),
  ])
}

/** `views/posts/show.eta(3,12): error TS2339: …` */
const ERROR = /^(.+?)\((\d+),\d+\): error:? (?:TS\d+: )?([^]*)$/

const countOf = (errors: readonly unknown[]): string =>
  errors.length === 1 ? '1 type error' : `${errors.length} type errors`
