import type { Tag, ViewSource } from '../view-source.ts'
import type { Mistake } from './unbalanced.ts'

/** Returns the text of a view's type. */
export type TypeOf = (view: string) => string

/** Returns the links, forms and partials with a route whose method the browser doesn't send. */
export function wrongMethods({ source, parts }: ViewSource, typeOf: TypeOf): Mistake[] {
  return parts.flatMap((part) => {
    const route = part && methodIn(part)
    if (!part || !route) return []
    const before = source.slice(0, part.start)
    const sent = sentByPartial(part, typeOf) ?? sentByLink(before) ?? sentByForm(part, before, source)
    return sent === null || sent.includes(route) ? [] : { start: part.start, message: remedy(route, sent) }
  })
}

/** The method of the route that a tag contains. A tag with several routes has none. */
function methodIn({ code }: Tag): string | undefined {
  const [route, ...others] = code.matchAll(/\bpathTo\([\w.]+,\s*'(GET|POST|PUT|PATCH|DELETE) /g)
  return others.length === 0 ? route?.[1] : undefined
}

/** The methods that the browser can send, or null if they are not known. */
type Sent = readonly string[] | null

/** For a partial with the parameter `method`. Its default is DELETE, or a method that the parameter doesn't accept. */
function sentByPartial({ code }: Tag, typeOf: TypeOf): Sent {
  const [, view = ''] = /^include\('\/([^']+)', \{.*\baction: (?:it\.)?pathTo\(/.exec(code) ?? []
  const [, methods = ''] = /\bmethod\?: ([^,}]*)/.exec(typeOf(view)) ?? []
  if (methods === '') return null
  const [, given] = /\bmethod: '(\w+)'/.exec(code) ?? []
  if (given !== undefined || /\bmethod\b/.test(code)) return given === undefined ? null : [given]
  return METHODS.filter((method) => method === 'DELETE' || !methods.includes(`'${method}'`))
}

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE']

const sentByLink = (before: string): Sent => (/\s(?:href|hx-get)="<%=\s*$/.test(before) ? ['GET'] : null)

/** The beginning of a form that has not ended before the code of a tag. */
const IN_FORM = /<form\b(?:(?!<\/form>|<form\b)[^])*$/

/** A form sends the method of its attribute, or the value of its field `_method`. */
function sentByForm({ code }: Tag, before: string, source: string): Sent {
  const usesPartial = code.includes('/form_attributes')
  if (!IN_FORM.test(before) || !(usesPartial || /\saction="<%=\s*$/.test(before))) return null
  const form = source.slice(before.lastIndexOf('<form')).split('</form>')[0] ?? ''
  const [attributes = ''] = /^<form\b(?:<%[^]*?%>|[^>])*/.exec(form) ?? []
  if (!usesPartial && !/\smethod=["']?post\b/i.test(attributes)) return ['GET']
  const [input] = /<input\b[^>]*\sname=["']?_method\b[^>]*/.exec(form) ?? []
  if (input === undefined) return ['POST']
  const [, field = ''] = /\svalue="([^"]*)"/.exec(input) ?? []
  return METHODS.includes(field) ? [field] : null
}

function remedy(route: string, sent: readonly string[]): string {
  const method = sent.join(' or ')
  if (method === 'GET') return `This sends GET, and the route is a ${route}. Use a form with method="post".`
  if (route === 'GET')
    return `This form doesn’t send GET, the method of the route. Use a link, or method="get".`
  if (method === 'POST')
    return `This form sends POST, and the route is a ${route}. Add <input type="hidden" name="_method" value="${route}">.`
  return `This form doesn’t send ${route}, the method of the route. Send the method ${route}.`
}
