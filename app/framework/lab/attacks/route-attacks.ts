import {
  DEEP,
  MALFORMED_FORMS,
  MALFORMED_JSON,
  MANY_FIELDS,
  MARKUP,
  ORIGINS,
  STRANGE_IDS,
  STRANGE_JSON,
  STRANGE_QUERIES,
  TYPES,
} from './hostile-values.ts'
import type { RequestContent } from '../../testing/test-client.ts'

/** A route with the ids of stored records in its path. */
export interface Target {
  method: string
  /** `/posts/7` */
  path: string
  /** `/posts/:id` */
  pattern: string
  /** Whether the route belongs to a JSON API. */
  isApi: boolean
  /** Whether the route needs a session. */
  isSecured: boolean
}

/** A request that no user of the application sends. */
export interface Attack extends RequestContent {
  method?: string
  path?: string
}

/** The requests of an attack on a route, and the responses that are right. */
export interface RouteAttack {
  attacks: (target: Target) => readonly Attack[]
  /** Every response must have one of these statuses. Below 500 by default. */
  allows?: (status: number, target: Target) => boolean
}

const isWrite = ({ method }: Target) => method !== 'GET'
const isRefusal = (status: number) => status >= 400 && status < 500

/** Returns a body as JSON for an API, and as a form for a page. */
const withBody = (target: Target, json: string, form: string): Attack => ({
  headers: { 'Content-Type': target.isApi ? 'application/json' : 'application/x-www-form-urlencoded' },
  body: target.isApi ? json : form,
})

/** The attacks on every route, by their names. */
export const routeAttacks: Readonly<Record<string, RouteAttack>> = {
  'headers of other sites': {
    attacks: (target) => (isWrite(target) ? ORIGINS.map((headers) => ({ headers })) : []),
    allows: (status) => status === 403,
  },
  'wrong content types': {
    attacks: (target) =>
      isWrite(target)
        ? TYPES.map((type) => ({ headers: { 'Content-Type': type }, body: '{"title":"a"}' }))
        : [],
    allows: (status, { isApi, method }) => (isApi && method !== 'DELETE' ? status === 415 : status < 500),
  },
  'malformed bodies': {
    attacks: (target) =>
      !isWrite(target)
        ? []
        : target.isApi
          ? MALFORMED_JSON.map((json) => withBody(target, json, ''))
          : MALFORMED_FORMS.map((form) => withBody(target, '', form)),
  },
  'strange values': {
    attacks: (target) =>
      isWrite(target) && target.isApi ? STRANGE_JSON.map((json) => withBody(target, json, '')) : [],
  },
  'large bodies': {
    attacks: (target) =>
      isWrite(target)
        ? [
            withBody(target, `{"title":"${'a'.repeat(300_000)}"}`, `title=${'a'.repeat(300_000)}`),
            withBody(target, `[${'1,'.repeat(150_000)}1]`, 'a=1&'.repeat(1_000)),
          ]
        : [],
    // An API reads no body of a DELETE.
    allows: (status, { isApi, method }) => status === 413 || (isApi && method === 'DELETE'),
  },
  'nested bodies': {
    attacks: (target) =>
      isWrite(target)
        ? [
            withBody(target, '['.repeat(DEEP) + ']'.repeat(DEEP), `${'a['.repeat(DEEP)}=1`),
            withBody(target, '{"a":'.repeat(DEEP) + '1' + '}'.repeat(DEEP), `${'a[b]'.repeat(DEEP)}=1`),
            withBody(target, JSON.stringify(Object.fromEntries(MANY_FIELDS)), 'a[0]=1&'.repeat(90)),
          ]
        : [],
    allows: (status, { isApi, method }) => (isApi && method !== 'DELETE' ? isRefusal(status) : status < 500),
  },
  'fields that no form has': {
    attacks: (target) =>
      isWrite(target) && target.method !== 'DELETE'
        ? [
            '{"__proto__":{"roles":["admin"]},"roles":["admin"]}',
            '{"constructor":{"prototype":{"roles":["admin"]}}}',
            '{"id":2,"author_id":2,"owner_id":2,"user_id":2,"created_at":"2000-01-01","version":9}',
            '{"password_digest":"x","disabled_at":null,"is_admin":true}',
          ].map((json) =>
            withBody(
              target,
              json,
              'roles=admin&roles[]=admin&__proto__[roles]=admin&user[roles]=admin&id=2&author_id=2&owner_id=2&user_id=2&is_admin=1',
            ),
          )
        : [],
    allows: (status, { isApi }) => (isApi ? isRefusal(status) : status < 500),
  },
  'control characters': {
    attacks: (target) =>
      isWrite(target) && target.method !== 'DELETE'
        ? ['\\u0000', '\\ud800', '\\u001b[31m\\r\\n', '\\u202e', '\\ufffe'].map((text) =>
            withBody(
              target,
              `{"title":"${text}","body":"${text}","name":"${text}"}`,
              `title=%00&body=%1b[31m%0d%0a&name=%ED%A0%80&email=%00&password=%00`,
            ),
          )
        : [],
  },
  'strange ids': {
    attacks: ({ pattern }) =>
      pattern.includes(':') ? STRANGE_IDS.map((id) => ({ path: pattern.replaceAll(/:\w+/g, () => id) })) : [],
    allows: isRefusal,
  },
  'strange pages, sizes, orders, cursors and searches': {
    attacks: ({ method, path }) =>
      method === 'GET' ? STRANGE_QUERIES.map((query) => ({ path: `${path}?${query}` })) : [],
  },
  'markup in parameters': {
    attacks: ({ method, path }) =>
      method === 'GET'
        ? [
            {
              path: `${path}?${['q', 'page', 'size', 'sort', 'cursor', 'return_to', MARKUP]
                .map((name) => `${encodeURIComponent(name)}=${encodeURIComponent(MARKUP)}`)
                .join('&')}`,
            },
            { path: `${path}/${encodeURIComponent(MARKUP)}` },
          ]
        : [{ form: { name: MARKUP, email: MARKUP, title: MARKUP, password: MARKUP, return_to: MARKUP } }],
  },
  'other methods': {
    attacks: (target) => [
      ...['PROPFIND', 'QUERY', 'PATCH', 'OPTIONS', 'HEAD'].map((method) => ({ method })),
      { method: 'GET', headers: { 'X-HTTP-Method-Override': 'DELETE', 'X-Method-Override': 'DELETE' } },
      { method: 'GET', path: `${target.path}?_method=DELETE` },
      { method: 'POST', form: { _method: 'TRACE' } },
      { method: 'POST', body: '_method=DELETE', headers: { 'Content-Type': 'text/plain' } },
    ],
  },
}
