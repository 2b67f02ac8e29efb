import { nearest } from '../../../nearest.ts'
import type { ViewSource } from '../view-source.ts'
import type { Mistake } from './unbalanced.ts'

const TARGET =
  /\b(?:hx-target="#|hx-select="#|popovertarget="|hx(?:Target|Select): '#|target:#|loadMore\([^)]*\blist: ')([a-z][\w-]*)(?=["'\s])/g

/** Returns the targets of htmx and of popovers that are elements of no view. */
export function unknownTargets({ source }: ViewSource, ids: readonly string[]): Mistake[] {
  return [...source.matchAll(TARGET)].flatMap(({ 1: id = '', index }) => {
    if (ids.some((known) => matches(known, id))) return []
    const best = nearest(
      id,
      ids.filter((known) => !known.includes('<%')),
    )
    return {
      start: index,
      message: `No view has an element with the id ${id}.${best === null ? '' : ` Did you mean ${best}?`}`,
    }
  })
}

/** Returns the ids of a view as they are written: `confirm:<%= it.action %>`. Without those that have no word of their own. */
export const idsIn = (source: string): string[] =>
  [...source.matchAll(/\sid="([^"]*)"/g)]
    .map(([, id = '']) => id)
    .filter((id) => /[a-z]{3}/i.test(id.replaceAll(/<%.*?%>/g, '')))

const matches = (known: string, id: string): boolean =>
  known === id || (known.includes('<%') && new RegExp(`^${pattern(known)}$`).test(id))

const pattern = (known: string): string =>
  known
    .split(/<%.*?%>/)
    .map((text) => RegExp.escape(text))
    .join('.*')
