import type { SourceOf, Tag, ViewSource } from '../view-source.ts'
import type { Mistake } from './unbalanced.ts'

/** Returns the links, forms and partials with a route whose method the browser doesn't send. */
export function wrongMethods({ source, parts }: ViewSource, sourceOf: SourceOf): Mistake[] {
  return parts.flatMap((part) => {
    const route = part && methodIn(part)
    if (!part || !route) return []
    const { start } = part
    const partial = partialOf(part, sourceOf)
    if (partial !== null) return isSent(route, partial) ? [] : { start, message: remedyFor(route, partial) }
    const before = source.slice(0, start)
    const sent = sentByLink(before) ?? sentByForm(part, before, source)
    return sent === null || sent === route ? [] : { start, message: remedy(route, sent) }
  })
}

const ACTION = /\baction: (?:it\.)?pathTo\([\w.]+,\s*'(GET|POST|PUT|PATCH|DELETE) /

/** The method of the route that a tag contains: that of the parameter `action`. A tag with several other routes has none. */
function methodIn({ code }: Tag): string | undefined {
  const [, action] = ACTION.exec(code) ?? []
  if (action !== undefined) return action
  const [route, ...others] = code.matchAll(/\bpathTo\([\w.]+,\s*'(GET|POST|PUT|PATCH|DELETE) /g)
  return others.length === 0 ? route?.[1] : undefined
}

/** A partial with a form that a tag includes. */
interface Partial {
  readonly view: string
  /** The method that it sends, or null if it is not known. */
  readonly method: string | null
  /** Whether the partial has the parameter `method`. */
  readonly isParameter: boolean
}

/** Returns the partial that the `action` of a tag is passed to. */
function partialOf({ code }: Tag, sourceOf: SourceOf): Partial | null {
  const [, view = ''] = /^include\('\/([^']+)', \{/.exec(code) ?? []
  const own = ACTION.test(code) ? defaultMethod(sourceOf(view), sourceOf) : null
  if (own === null) return null
  const [, given] = /\bmethod: '(\w+)'/.exec(code) ?? []
  const isUnknown = given === undefined && /\bmethod\b/.test(code)
  return { ...own, view, method: isUnknown ? null : own.isParameter ? (given ?? own.method) : own.method }
}

const isSent = (route: string, { method }: Partial): boolean => method === null || method === route

function remedyFor(route: string, { view, method, isParameter }: Partial): string {
  const problem = `/${view} sends ${method}, and the route is a ${route}.`
  if (route === 'GET') return `${problem} Use a link, or a form with method="get".`
  return isParameter ? `${problem} Pass method: '${route}'.` : problem
}

/** Returns the method with which a partial sends its form without the parameter `method`, or null without such a form. */
function defaultMethod(
  source: string,
  sourceOf: SourceOf,
  depth = 3,
): { readonly method: string; readonly isParameter: boolean } | null {
  const [, inner] = /include\('\/([^']+)', \{[^}]*\baction: it\.action\b/.exec(source) ?? []
  const isForm =
    inner === 'partials/form_attributes' || /<form\b[^>]*\saction="<%= it\.action %>"/.test(source)
  if (!isForm)
    return inner === undefined || depth === 0 ? null : defaultMethod(sourceOf(inner), sourceOf, depth - 1)
  if (/include\('\/partials\/submit', it\)/.test(source)) return { method: 'POST', isParameter: true }
  const [, fixed, otherwise] =
    /name="_method" value="(?:([A-Z]+)|<%= it\.method(?: \?\? '(\w+)')? %>)"/.exec(source) ?? []
  if (fixed !== undefined) return { method: fixed, isParameter: false }
  return { method: otherwise ?? 'POST', isParameter: source.includes('it.method') }
}

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE']

/** The method that the browser sends, or null if it is not known. */
type Sent = string | null

function sentByLink(before: string): Sent {
  const [, name, method] = /\s(href|hx-(get|post|put|patch|delete))="<%=\s*$/.exec(before) ?? []
  return name === undefined ? null : (method ?? 'get').toUpperCase()
}

/** The beginning of a form that has not ended before the code of a tag. */
const IN_FORM = /<form\b(?:(?!<\/form>|<form\b)[^])*$/

/** A form sends the method of its attribute, or the value of its field `_method`. */
function sentByForm({ code }: Tag, before: string, source: string): Sent {
  const usesPartial = code.includes('/form_attributes')
  if (!IN_FORM.test(before) || !(usesPartial || /\saction="<%=\s*$/.test(before))) return null
  const form = source.slice(before.lastIndexOf('<form')).split('</form>')[0] ?? ''
  const [attributes = ''] = /^<form\b(?:<%[^]*?%>|[^>])*/.exec(form) ?? []
  if (!usesPartial && /\smethod=["']?<%/.test(attributes)) return null
  if (!usesPartial && !/\smethod=["']?post\b/i.test(attributes)) return 'GET'
  if ((form.match(/\sname=["']?_method\b/g)?.length ?? 0) > 1) return null
  const [input] = /<(?:input|button)\b[^>]*\sname=["']?_method\b[^>]*/.exec(form) ?? []
  if (input === undefined) return 'POST'
  const [, field = ''] = /\svalue="([^"]*)"/.exec(input) ?? []
  return METHODS.includes(field) ? field : null
}

function remedy(route: string, method: string): string {
  if (method === 'GET') return `This sends GET, and the route is a ${route}. Use a form with method="post".`
  if (route === 'GET')
    return `This doesn’t send GET, the method of the route. Use a link, or a form with method="get".`
  if (method === 'POST')
    return `This form sends POST, and the route is a ${route}. Add <input type="hidden" name="_method" value="${route}">.`
  return `This form doesn’t send ${route}, the method of the route. Send the method ${route}.`
}
