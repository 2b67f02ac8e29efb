/** Headers of requests that pages of other sites send. */
export const ORIGINS: readonly Record<string, string>[] = [
  { 'Sec-Fetch-Site': 'cross-site' },
  { 'Sec-Fetch-Site': 'same-site' },
  { 'Sec-Fetch-Site': 'unknown' },
  { 'Sec-Fetch-Site': 'same-origin', Origin: 'https://evil.example' },
  { Origin: 'null' },
  { Origin: 'https://evil.example' },
  { Origin: 'https://127.0.0.1.evil.example' },
]

/** Content types that no form and no client of an API sends. */
export const TYPES = [
  'text/plain',
  'text/html',
  'application/xml',
  'multipart/form-data; boundary=x',
  'application/json; charset=latin1',
  'application/jsonp',
  'a',
]

/** Bodies that are not JSON. */
export const MALFORMED_JSON = [
  '{',
  '{"a":',
  '[',
  '',
  'undefined',
  '{"a":1}}',
  "{'a':1}",
  '\uFEFF{',
  '{"a":NaN}',
  '\0',
]
/** JSON that is not a record. */
export const STRANGE_JSON = [
  'null',
  '[]',
  '1',
  '"text"',
  'true',
  '[{}]',
  '{"title":1e400}',
  '{"title":{"a":1}}',
  '{"":""}',
]
/** Bodies that no form sends. */
export const MALFORMED_FORMS = ['%', 'a=%E0%A4%A', '=', '&&&&', 'a[b][c]=1', 'title=%00', '\0\0', 'a=%ff%fe']

/** More levels than any record has. */
export const DEEP = 15_000
/** More fields than any record has. */
export const MANY_FIELDS = Array.from({ length: 5_000 }, (_, index) => [`field${index}`, index] as const)

/** Segments of a path that are the id of no record. */
export const STRANGE_IDS = [
  '0',
  '-1',
  '1.5',
  '1e3',
  '0x10',
  'NaN',
  '9'.repeat(30),
  '9223372036854775808',
  '%00',
  '%0d%0aX-Evil:1',
  '%FF',
  '%E0%A4%A',
  '%2e%2e%2f%2e%2e%2fpackage.json',
  "1'%20or%20'1'='1",
  '1;drop%20table%20users',
  '__proto__',
  'constructor',
  '%F0%9F%92%A9',
  '%D9%A1',
  'a'.repeat(2_000),
]

/** Queries that no link of the application has. */
export const STRANGE_QUERIES = [
  'page=0',
  'page=-1',
  'page=abc',
  'page=1e9',
  'page=9223372036854775808',
  'page=99999999',
  'page=1&page=2&size=5&size=6&q=a&q=b&sort=a&sort=b&cursor=a&cursor=b',
  'page[]=1&size[a]=2&q[__proto__]=3',
  '__proto__=1&constructor=2&toString=3&hasOwnProperty=4',
  'size=0',
  'size=-1',
  'size=1e9',
  'size=99999999999999999999',
  'size=1.5',
  'sort=password_digest',
  'sort=-',
  'sort=title,title,title',
  'sort=id;drop table users',
  'cursor=garbage',
  'cursor=eyJpZCI6MX0',
  `cursor=${'A'.repeat(5_000)}`,
  'q=%00',
  'q=%FF%FE',
  'q=%E0%A4%A',
  'q=%25%5F%5C',
  `q=${encodeURIComponent("' or 1=1--")}`,
  `q=${'a'.repeat(5_000)}!`,
  'q=%E2%80%AE%0D%0A%1B[31m',
  'author_id=abc&published=maybe&id=0&password_digest=a',
]

/** Markup that must not appear unescaped in any page. */
export const MARKUP = '"><img src=x onerror=alert(1)><hx-evil hx-get=/x>\'<%= 7*7 %>'
