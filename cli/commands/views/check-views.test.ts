import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import { root } from '../../test/tools.ts'
import { checkViews } from './check-views.ts'
import { watchViews } from './check.ts'

const project = mkdtempSync(join(tmpdir(), 'pergola-checked-'))
afterAll(() => rmSync(project, { recursive: true }))

function write(path: string, text: string): void {
  const file = join(project, path)
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, text)
}

const link = (path: string) => {
  mkdirSync(dirname(join(project, path)), { recursive: true })
  symlinkSync(join(root, path), join(project, path))
}

write('package.json', '{ "type": "module", "imports": { "#app/*": "./app/*" } }')
write('tsconfig.json', readFileSync(join(root, 'tsconfig.json'), 'utf8'))
link('node_modules')
link('app/framework')
write(
  'app/notes.ts',
  `import type { Generated } from 'kysely'
import { z } from 'zod'
import { field, filter, type Handler, publicRoute, render, repository, resource, type RowOf, routes } from 'pergola'
import type { RoutesIn } from 'pergola/views'

declare module 'pergola' {
  interface Tables { people: { id: Generated<number>; title: string; pages: number | null; name: string }; notes: { id: Generated<number>; title: string; pages: number | null; created_at: Generated<string> } }
}
export const Note = resource('Note', {
  table: 'notes', label: 'title', columns: ['created_at'],
  input: z.strictObject({ title: field.string({ max: 200 }), pages: field.integer().nullable() }),
  sort: ['title'], filters: { created_at: filter.timeRange() },
})
export type Note = RowOf<typeof Note>

const Person = resource('Person', { table: 'people', input: z.strictObject({ title: field.string(), pages: field.integer().nullable(), name: field.string() }) })
export const [notes, people] = [repository(Note, {}), repository(Person, {})]

const index: Handler = (_req, res) => void res
export const visitRoutes = routes('/people/:person_id/notes', { 'GET /:id': [publicRoute(), index] })
export const noteRoutes = routes('/notes', { 'GET /': [publicRoute(), index], 'GET /:id': [publicRoute(), index], 'PUT /:id': [publicRoute(), index] })
declare module 'pergola/views' {
  interface ViewContext extends RoutesIn<{ routes: { noteRoutes: typeof noteRoutes; visitRoutes: typeof visitRoutes } }> {}
  interface AssetFiles extends Record<'htmx.js', string> {}
}
export { render }
`,
)
write(
  'security.manifest.json',
  JSON.stringify({
    dimensions: {
      routes: {
        entries: [
          { method: 'GET', path: '/notes', guards: [] },
          { method: 'GET', path: '/notes/:id', guards: ['public', 'load Note by id'] },
          { method: 'GET', path: '/people/:id', guards: ['public', 'load Person by id'] },
          { method: 'GET', path: '/', guards: [] },
          {
            method: 'GET',
            path: '/people/:person_id/notes/:id',
            guards: ['public', 'load Person by person_id', 'load Note by id'],
          },
        ],
      },
    },
    excluded: { development_only: [{ route: 'GET /_dev' }] },
  }),
)
write('public/notes.css', '')
write('public/root/robots.txt', '')
write(
  'views/layouts/main.eta',
  '<%\n  /** @type {{ title: string, body: Html, status?: string }} */\n%>\n<title><%= it.title %></title><%~ it.body %>',
)
write(
  'views/partials/name.eta',
  "<% /** @type {{ name: string, tone?: 'loud' | 'quiet' }} */ %><b><%= it.name %></b>",
)

write(
  'views/partials/button.eta',
  `<% /** @type {{ action: string, method?: 'PUT' }} */ %>
<form method="post" action="<%= it.action %>"><input name="_method" value="<%= it.method ?? 'DELETE' %>"></form>`,
)
write(
  'views/partials/field.eta',
  '<% /** @type {{ form: FormState, name: string, options?: readonly (readonly [string, string])[] }} */ %><b><%= it.name %></b>',
)
write(
  'views/partials/form_attributes.eta',
  '<%\n  /** @type {{ action: string }} */\n%> method="post" action="<%= it.action %>"',
)
write(
  'views/partials/whole_form.eta',
  `<%
  /** @type {{ action: string, method?: 'PUT', cancel: string }} */
%>
<form<%~ include('/partials/form_attributes', { action: it.action }) %>>
  <% if (it.method) { %><input type="hidden" name="_method" value="<%= it.method %>"><% } %>
  <div id="problem"></div><a href="<%= it.cancel %>">Cancel</a>
</form>`,
)
write('views/partials/inner_end.eta', '<div id="problem"></div>')
write('views/partials/outer_end.eta', "<%~ include('/partials/inner_end') %>")
write(
  'views/partials/inner_button.eta',
  "<%\n  /** @type {{ action: string }} */\n%>\n<%~ include('/partials/button', { action: it.action }) %>",
)
write(
  'views/partials/form_errors.eta',
  '<% /** @type {{ form: FormState, fields: readonly string[] }} */ %><b><%= it.fields.join() %></b>',
)
write(
  'views/partials/errors.eta',
  '<% /** @type {{ form: FormState, fields: readonly string[] }} */ %><b><%= it.fields.join() %></b>',
)

/** Begins each view: its data, and a layout. Its code begins in line 6. */
const HEAD = `<%
  /** @import { Note } from '#app/notes.ts' */
  /** @type {ListOnPage<typeof Note> & { note: Note, form: FormOf<typeof Note>, authors: Names }} */
  layout('/layouts/main', { title: 'Notes' })
%>
`

/** Correct code, each in a view of its own. */
const VALID = [
  '<%= it.note.title %> <%= it.note.pages %> <%= it.page.content.length > 0 %>',
  '<% for (const note of it.page.content) { %><%= note.title %><% } %>',
  '<% if (it.mayCreate) { %>a<% } else { %>b<% } %>',
  "<%~ include('/partials/name', { name: it.note.title }) %>",
  "<%~ include('/partials/name', { name: it.note.title, tone: 'loud' }) %>",
  "<%~ include('/partials/name', { ...it, name: 'x' }) %>",
  '<% const { note, pathTo, noteRoutes } = it %><a href="<%= pathTo(noteRoutes, \'GET /:id\', note) %>">a</a>',
  '<%~ it.time(it.note.created_at) %> <%= it.formatDate(it.note.created_at) %> <%= it.authors.get(1) %>',
  "<% if (it.form.errors.title) { %><%= it.form.errors.title.join(' ') %><% } %>",
  '<%\n  /** @param {Note} note */\n  const name = (note) => { %><i><%= note.title %></i><% }\n%>\n<% name(it.note) %>',
  "<%~ it.paginationNav(it.page, { hxTarget: '#notes' }) %>",
  "<% /* a comment */ // and one more\n %><%= it.me?.name ?? '–' %>",
  "<%~ it.mayCreate ? include('/partials/name', { name: 'x' }) : '' %>",
  "<%= it.asset('notes.css') %><%= it.asset('htmx.js') %>",
  '<%- const x = 1 -%>\n<%= x %>',
  "<% block('side', () => { %>x<% }) %>",
  "<%~ include('/partials/field', { form: it.form, name: 'title' }) %><%~ include('/partials/field', { form: { values: {}, errors: {} }, name: 'x' }) %>",
  "<%~ include('/partials/errors', { form: it.form, fields: ['title', 'pages'] }) %>",
  "<% if (it.may(it.note, 'update')) { %>x<% } %><%~ include('/undeclared') %>",
  "<%~ it.sortHeading(it.query, 'title', { label: 'Title' }) %><%~ it.searchForm(it.page, { label: 'Notes', omit: ['created_at'] }) %>",
  "<%\n  /** @satisfies {Swap} */\n  const swap = { hxTarget: '#notes' }\n%>\n<%~ it.paginationNav(it.page, swap) %>",
  "<%~ include('/partials/button', { action: it.pathTo(it.noteRoutes, 'PUT /:id', it.note), method: 'PUT' }) %>",
  '<!-- a " < b --><input value="<%= "a>b" %>" <% if (it.mayCreate) { %>checked<% } %> class=x disabled/><br/>',
  '<ul><li>a<li>b</ul><table><tr><td>x</table><script>"</div>"</script><!-- <div> --><svg><path d="M0"/></svg>',
  '<% if (it.mayCreate) { %><a href="/"><% } %>x<% if (it.mayCreate) { %></a><% } %>',
  '<% if (it.mayCreate) { %><ul><li>a</ul><% } else { %><b>{</b><% } %>',
  '<div id="notes"></div><p id="item-<%= it.note.id %>"></p><button popovertarget="item-7" hx-target="#notes">a</button>',
  '<!-- <a href="/no"> --><% /* <a href="/no"> */ %><p>set onclick="x"</p><a title=\'onclick="x"\' href="/Notes">a</a>',
  '<% /** @type {FormState<\'tags\'>} */ const form = { values: {}, errors: {} } %><%= String(form.values.tags) %><input name="tag"><input name="game">',
  "<form<%~ include('/partials/form_attributes', { action: '/' }) %>><%~ include('/partials/outer_end') %></form>",
  '<form method="<%= it.note.title %>" action="<%= it.pathTo(it.noteRoutes, \'PUT /:id\', it.note) %>"></form>',
  '<form method="post" action="<%= it.pathTo(it.noteRoutes, \'PUT /:id\', it.note) %>"><button name="_method" value="PUT">a</button><button name="_method" value="DELETE">b</button></form>',
  '<div><% if (it.mayCreate) { %></div><% } else { %></div><% } %>',
  '<% if (it.mayCreate) { %><div><% } else { %><div class=x><% } %></div>',
  '<a href="/notes/<%= it.note.id %>?x=1">a</a><a href="/notes?page=<%= it.note.id %>">b</a><a href="/<%= it.note.title %>">c</a>',
  '<a href="/not<%= it.note.title %>">a</a>',
  '<% /** @type {FormState<\'emails\'>} */ const form = { values: {}, errors: {} } %><%= String(form.values.emails) %><input name="email">',
  '<<%= it.note.title %>>a</<%= it.note.title %>>',
  '<a href="/notes/7?page=2#x">a</a><a href="/">b</a><a href="/_dev">c</a><a href="//example.org/x">d</a><a href="/notes/<%= 1 %>">e</a>',
  '<% const person = { id: it.note.id } %><a href="<%= it.pathTo(it.noteRoutes, \'GET /:id\', { id: person.id }) %>">a</a>',
  '<form method="post" action="<%= it.pathTo(it.noteRoutes, \'PUT /:id\', it.note) %>"><button name="_method" value="PUT">a</button></form>',
  "<form<%~ include('/partials/form_attributes', { action: '/' }) %>></form><div id=\"problem\"></div>",
  "<%~ include('/partials/whole_form', { action: it.pathTo(it.noteRoutes, 'PUT /:id', it.note), method: 'PUT', cancel: it.pathTo(it.noteRoutes, 'GET /') }) %>",
  '<a href="/robots.txt">a</a><a href="/notes/1.txt">b</a>',
  "<%~ include('/partials/form_errors', { form: it.form, fields: ['title', 'pages'] }) %><input name=pages><textarea name=\"title\"></textarea>",
  "<%~ include('/partials/form_errors', { form: it.form, fields: ['title'] }) %><% for (const name of /** @type {const} */ (['title'])) { %><%~ include('/partials/field', { form: it.form, name }) %><% } %>",
  '<form method=post action="<%= it.pathTo(it.noteRoutes, \'PUT /:id\', it.note) %>"><input value="PUT" type=hidden name=\'_method\'></form>',
  "<form action=\"<%= it.mayCreate ? it.pathTo(it.noteRoutes, 'GET /') : it.pathTo(it.noteRoutes, 'PUT /:id', it.note) %>\"></form>",
  '<form role="search" method="get" action="<%= it.pathTo(it.noteRoutes, \'GET /\') %>"></form>',
  '<form method="post" action="<%= it.pathTo(it.noteRoutes, \'PUT /:id\', it.note) %>"><input name="_method" value="PUT"></form>',
  "<%~ include('/partials/button', { action: it.pathTo(it.noteRoutes, 'PUT /:id', it.note), ...(it.mayCreate && { method: 'PUT' }) }) %>",
]

/** A mistake, the line and column of its error, and a part of the message. */
const MISTAKES: readonly [code: string, at: string, message: string][] = [
  [
    "<% const page = /** @type {any} */ (it.page) %><%~ it.loadMore(page, { list: 'feed' }) %>",
    '6,55',
    'No view has an element with the id feed.',
  ],
  [
    "<% const person = { id: 1, person_id: 2 } %><%= it.pathTo(it.visitRoutes, 'GET /:id', person) %>",
    '6,52',
    'This route is about a Note, and person is a Person.',
  ],
  ['<% if (it.mayCreate) { %><table><tr><td>a<% } %>', '6,26', '</table> is missing.'],
  ['<% if (it.mayCreate) { %>a</b><% } %>', '6,27', '</b> closes no element.'],
  ['<a href="/note/<%= it.note.id %>">a</a>', '6,4', 'has no route /note/.'],
  [
    '<form hx-status:4xx="target:#notice select:#x"></form>',
    '6,22',
    'No view has an element with the id notice.',
  ],
  ['<%= it.time %>', '6,5', 'This is a function: call it with its arguments.'],
  ['<%~ it.time %>', '6,5', 'This is a function: call it with its arguments.'],
  [
    '<div id="notes"></div><%~ it.paginationNav(it.page, { hxTarget: \'#note\' }) %>',
    '6,55',
    'No view has an element with the id note. Did you mean notes?',
  ],
  ['<button popovertarget="menu">a</button>', '6,9', 'No view has an element with the id menu.'],
  [
    '<% for (const note in it.page.content) { %>\n<%= note.title %>\n<% } %>',
    '6,4',
    'for … in gives the keys as texts.',
  ],
  ['<a href="/note">a</a>', '6,4', 'has no route /note. Did you mean /notes?'],
  ['<form method="post" action="/notes/7/x"></form>', '6,21', 'has no route /notes/7/x.'],
  [
    "<% const person = { id: 1 } %><%= it.pathTo(it.noteRoutes, 'GET /:id', person) %>",
    '6,38',
    'This route is about a Note, and person is a Person.',
  ],
  [
    "<%~ include('/partials/whole_form', { action: it.pathTo(it.noteRoutes, 'PUT /:id', it.note), cancel: it.pathTo(it.noteRoutes, 'GET /') }) %>",
    '6,5',
    "/partials/whole_form sends POST, and the route is a PUT. Pass method: 'PUT'.",
  ],
  [
    "<%~ include('/partials/inner_button', { action: it.pathTo(it.noteRoutes, 'PUT /:id', it.note) }) %>",
    '6,5',
    '/partials/inner_button sends DELETE, and the route is a PUT.',
  ],
  [
    '<form method="post"><%~ include(\'/partials/field\', { form: it.form, name: \'title\' }) %><input name="titel"></form>',
    '6,101',
    'The form has no field titel. Did you mean title?',
  ],
  [
    "<form method=\"post\"><%~ include('/partials/inner_button', { action: '/' }) %></form>",
    '6,25',
    '/partials/inner_button contains a form, and is inside a form.',
  ],
  ['<form method="post"><p><form></form></p></form>', '6,24', 'A form can’t contain another form.'],
  [
    "<form<%~ include('/partials/form_attributes', { action: '/' }) %>></form>",
    '6,10',
    'The view has no <div id="problem">',
  ],
  [
    '<button hx-post="<%= it.pathTo(it.noteRoutes, \'PUT /:id\', it.note) %>">a</button>',
    '6,22',
    'This form sends POST, and the route is a PUT.',
  ],
  ['<button onclick="run()">a</button>', '6,9', 'The Content-Security-Policy blocks this attribute.'],
  ['<%= it.note.titel %>', '6,13', "Did you mean 'title'?"],
  [
    '<p>\n  <%= it.nota %>',
    '7,10',
    "'nota' is not in the data of this view. The @type in the first tag declares the data.",
  ],
  [
    '<% for (const note of it.page.contents) { %><%= note.title %><% } %>',
    '6,31',
    "'contents' does not exist",
  ],
  ['<%= it.form.values.titel %>', '6,20', "'titel'"],
  ['<%= it.form.errors.name %>', '6,20', "'name'"],
  ["<%~ include('/partials/name', { nam: 'x' }) %>", '6,33', "'nam' does not exist"],
  [
    "<%~ include('/partials/name') %>",
    '6,5',
    "'/partials/name' needs data: include('/partials/name', { … })",
  ],
  [
    "<%~ include('/partials/name', { name: it.note.id }) %>",
    '6,33',
    "'number' is not assignable to type 'string'",
  ],
  ["<%~ include('/partials/name', { name: 'x', tone: 'shrill' }) %>", '6,44', '"shrill"'],
  [
    "<%~ include('/partials/nam', { name: 'x' }) %>",
    '6,13',
    "no view '/partials/nam'. Did you mean '/partials/name'?",
  ],
  ["<%= include('/partials/name', { name: 'x' }) %>", '6,5', 'print this value with <%~ … %>'],
  ['<%~ it.note.title %>', '6,5', '<%~ … %> prints only HTML'],
  ['<%= it.time(it.note.created_at) %>', '6,5', 'print this value with <%~ … %>'],
  ["<%= it.pathTo(it.noteRoutes, 'GET /new') %>", '6,8', "it.noteRoutes has no route 'GET /new'"],
  ["<%= it.pathTo(it.noteRoutes, 'GET /:id') %>", '6,8', "pathTo needs the parameters of 'GET /:id'"],
  [
    "<%= it.pathTo(it.postRoutes, 'GET /') %>",
    '6,18',
    "No route table has the name 'postRoutes'. Did you mean 'noteRoutes'?",
  ],
  ['<%= it.formatDate(it.note.id) %>', '6,19', "'number' is not assignable"],
  ['<%= it.formatDay(it.note.created_at) %>', '6,8', "'formatDay' is not in the data"],
  ['<%= it.note %>', '6,5', "A tag can't print 'Readonly<"],
  ["<%~ it.sortHeading(it.page, 'title', { labl: 'Title' }) %>", '6,40', "'labl' does not exist"],
  ["<%= it.asset('note.css') %>", '6,14', "no file 'note.css' in public. Did you mean 'notes.css'?"],
  ['<%= it.note.pages.toFixed() %>', '6,5', "possibly 'null'"],
  ['<%= it.me.name %>', '6,5', "possibly 'null'"],
  ['<% const { note, tags } = it %><%= note.title + String(tags) %>', '6,18', "'tags' is not in the data"],
  [
    "<% layout('/layouts/mian', { title: 'x' }) %>",
    '6,11',
    "no view '/layouts/mian'. Did you mean '/layouts/main'?",
  ],
  ["<% layout('/layouts/main', { titel: 'x' }) %>", '6,30', "'titel'"],
  ["<% layout('/layouts/main') %>", '6,4', "'/layouts/main' needs data"],
  ['<% const options = 1 %>', '6,10', "redeclare block-scoped variable 'options'"],
  ['<% const unused = 1 %>', '6,10', "'unused' is declared but its value is never read"],
  ['<%\n\n  const x = it.note\n  x.titel\n%>', '9,5', "'titel'"],
  ["<%~ include('/partials/field', { form: it.form, name: 'titel' }) %>", '6,49', '\'"titel"\''],
  ["<%~ include('/partials/errors', { form: it.form, fields: ['title', 'page'] }) %>", '6,68', '\'"page"\''],
  ["<% include('/partials/name', { name: 'x' }) %>", '6,4', 'This tag prints nothing'],
  ['<p><% it.note.title %></p>', '6,7', 'This tag prints nothing'],
  ["<% if (it.may(it.note, 'edit')) { %>x<% } %>", '6,24', '"edit"'],
  ["<%~ include('/undeclared', { size: 3 }) %>", '6,30', "'size' does not exist"],
  ["<%~ it.sortHeading(it.page, 'titel', { label: 'Title' }) %>", '6,29', '"titel"'],
  ['<%= appName %>', '6,5', 'it.appName'],
  ["<%~ it.sortHeading(it.page, 'pages', { label: 'Pages' }) %>", '6,29', '"pages"'],
  ["<%~ it.searchForm(it.page, { label: 'Notes', omit: ['created'] }) %>", '6,53', '"created"'],
  ["<% if (it.may(it.note, 'show')) { %>x<% } %>", '6,24', '"show"'],
  ["<% if (it.may(it.form, 'update')) { %>x<% } %>", '6,15', 'missing the following properties'],
  [
    "<%\n  /** @satisfies {Swap} */\n  const swap = { hxTarget: '#notes', hxpushUrl: true }\n%>\n<%~ it.paginationNav(it.page, swap) %>",
    '8,38',
    "'hxPushUrl'",
  ],
  ["<%~ include('/mails/hello.text', { name: 'x' }) %>", '6,13', 'A mail includes only views in views/mails'],
  [
    '<form method="post" action="<%= it.pathTo(it.noteRoutes, \'GET /\') %>"></form>',
    '6,33',
    'This doesn’t send GET',
  ],
  [
    '<form action="<%= it.pathTo(it.noteRoutes, \'PUT /:id\', it.note) %>"><input name="_method" value="PUT"></form>',
    '6,19',
    'This sends GET, and the route is a PUT. Use a form with method="post".',
  ],
  [
    '<form method="post" action="<%= it.pathTo(it.noteRoutes, \'PUT /:id\', it.note) %>"><input name="_method" value="PATCH"></form>',
    '6,33',
    'This form doesn’t send PUT, the method of the route. Send the method PUT.',
  ],
  [
    "<%~ include('/partials/button', { action: it.pathTo(it.noteRoutes, 'GET /'), method: 'PUT' }) %>",
    '6,5',
    '/partials/button sends PUT, and the route is a GET. Use a link',
  ],
  [
    '<p>\n  <a href="<%= it.basePath %> dir="auto">a</a>',
    '7,3',
    'A quotation mark or > of this element is missing',
  ],
  [
    "<%~ include('/partials/button', { action: it.pathTo(it.noteRoutes, 'PUT /:id', it.note) }) %>",
    '6,5',
    "/partials/button sends DELETE, and the route is a PUT. Pass method: 'PUT'.",
  ],
  [
    '<a href="<%= it.pathTo(it.noteRoutes, \'PUT /:id\', it.note) %>">a</a>',
    '6,14',
    'This sends GET, and the route is a PUT',
  ],
  [
    '<form method="post" action="<%= it.pathTo(it.noteRoutes, \'PUT /:id\', it.note) %>"></form>',
    '6,33',
    'Add <input type="hidden" name="_method" value="PUT">.',
  ],
  ['<dl><dt>a</dt><dd>b</dt></dl>', '6,20', '</dt> closes no element'],
  ['<p>\n<div>\n<% if (it.mayCreate) { %><b>x</b><% } %>', '7,1', '</div> is missing'],
  [
    '<% for (const note of it.page.content) { %><b><i><%= note.title %></b><% } %>',
    '6,47',
    '</i> is missing',
  ],
  ['<span<% if (it.mayCreate) { %> hidden<% } %>>\n</div>', '6,1', '</span> is missing.'],
  ['<p>\n<a href="/robot.txt">a</a>', '7,4', 'There is no file /robot.txt in public/root.'],
  ['<b><%= it.note.title %> %></b>', '6,25', 'This %> ends no tag'],
  [
    "<%~ include('/partials/form_errors', { form: it.form, fields: ['title', 'pages'] }) %>\n<%~ include('/partials/field', { form: it.form, name: 'title' }) %>",
    '6,5',
    'The view has no control with the name pages.',
  ],
  ['<input value="<%= it.form.values.title %>">', '6,19', "Print String(… ?? '')"],
  ["<%= it.pathTo(it.userRoutes, 'GET /') %>", '6,18', "No route table has the name 'userRoutes'"],
]

/** Mistakes in brackets, as above. One of them hides the errors of types in all views. */
const UNBALANCED: typeof MISTAKES = [
  ['<% if (it.note) { %>\na', '6,17', 'This block is not closed: <% } %> is missing'],
  ['<p>\n<% if (it.note) { %>\n<b>x</b>', '7,17', 'This block is not closed'],
  ['<% if (it.mayCreate) %>\n<b>{</b><% } %>', '6,4', 'This tag must end with {'],
  [
    "a\n<%~ include('/partials/name', { name: it.formatDate('x' }) %>",
    '7,5',
    'The parentheses or braces of this tag don’t match',
  ],
  ['<% } %>', '6,4', 'This } closes no block'],
  [
    '<% if (it.note) { %>\n  <% for (const note of it.page.content) { %>\n  <%= note.title %>\n<% } %>',
    '7,42',
    'This block is not closed',
  ],
  [
    '<% it.page.content.forEach((note) => { %>\n<%= note.title %>\n<% } %>\n<% if (it.note) { %>x<% } %>',
    '6,27',
    'This block is not closed: <% }) %> is missing',
  ],
  ['<%= it.note.title // the title %>', '6,5', 'This comment hides the end of the tag'],
  ['<%= if (it.note) { %>x<% } %>', '6,5', 'This tag prints a value. A statement belongs'],
  ['<%= it.note.title; %>', '6,5', 'This tag prints a value, which ends without'],
  [
    "<%~ include('/partials/name', { name: 'x' ) %>",
    '6,5',
    'The parentheses or braces of this tag don’t match',
  ],
  ['<%= it.note.title\n<b><%= it.note.id %></b>', '6,5', 'This tag is not closed'],
]

const named = (kind: string, sources: readonly string[]) =>
  sources.map((source, index) => [`${kind}${index + 1}`, source] as const)

for (const [name, code] of named('valid', VALID)) write(`views/notes/${name}.eta`, HEAD + code)
for (const [name, code] of named(
  'mistake',
  MISTAKES.map(([source]) => source),
))
  write(`views/notes/${name}.eta`, HEAD + code)
write(
  'views/mails/hello.text.eta',
  '<% /** @type {{ name: string }} */ %>\nHello <%= it.name %>, <%= it.subject %>',
)
write('views/mails/broken.text.eta', '<%= it.me %>')
write('views/mails/links.text.eta', "<%= it.pathTo(it.noteRoutes, 'GET /') %>")
write('views/mails/local.eta', '<a href="/notes">a</a>')
write(
  'views/mails/good_bye.eta',
  '<%\n  /** @type {{ name: string, link: string }} */\n%>\n<%= it.name %> <%= it.link %>',
)
write(
  'app/mails/good-bye.ts',
  `import { mail } from 'pergola/mail'
import { z } from 'zod'

export const goodBye = mail('good-bye', {
  data: z.object({ name: z.string() }),
  subject: () => 'Good bye',
  example: { name: 'Alice' },
})
`,
)
write('views/undeclared.eta', '<h1><%= it.appName %></h1>\n<%= it.title %>')
write('views/type.eta', '<%\n  /** @type {{ note: Nota }} */\n%>\n<%= it.note %>')
write(
  'views/import.eta',
  "<%\n  /** @import { Note } from '#app/notes.ts' */\n  /** @import { Nota } from '#app/notes.ts' */\n  /** @type {{ note: Note, nota: Nota }} */\n%>\n<%= it.note.title %>",
)
write(
  'views/signin.eta',
  "<% /** @type {{ form: FormState<'email' | 'password'> }} */ %><%= it.form.errors.email %>",
)
write(
  'views/edit.eta',
  "<%\n  /** @import { Note } from '#app/notes.ts' */\n  /** @type {{ form: FormOf<typeof Note> }} */\n%>\n<%= it.form.errors.title %>",
)
write(
  'app/lamps.ts',
  `import { z } from 'zod'
import { field, resource } from 'pergola'

declare module 'pergola' {
  interface Tables { lamps: { id: number; state: 'on' | 'off'; version: number } }
}
export const STATES = ['on', 'off'] as const
export const Lamp = resource('Lamp', {
  table: 'lamps',
  input: z.strictObject({
    state: field.enum(STATES),
  }),
  version: true,
})
`,
)
write(
  'views/lamps.eta',
  `<%
  /** @import { Lamp } from '#app/lamps.ts' */
  /** @type {{ form: FormOf<typeof Lamp> }} */
  const { form } = it
%>
<form<%~ include('/partials/form_attributes', { action: '/' }) %>><input type="hidden" name="_method" value="PUT">
<%~ include('/partials/field', { form, name: 'state', options: [['on', 'On'], ['of', 'Off']] }) %><div id="problem"></div>
</form>`,
)
write('views/missing.eta', '<% /** @type {Misssing} */ %>x')
write('views/unclosed.eta', 'a\n<%= it.x\n')
write(
  'app/pages.ts',
  `import type { Request, Response } from 'express'
import { readForm } from 'pergola'
import { z } from 'zod'
import { pathTo } from 'pergola'
import { type Note, noteRoutes, notes, people, render } from './notes.ts'

const renamed = z.strictObject({ email: z.string(), word: z.string() })

export async function pages(req: Request, res: Response, note: Note): Promise<void> {
  await render(res, 'layouts/man', { title: 'x' })
  await render(res, 'partials/name', { name: note.id })
  await render(res, 'partials/name', {})
  await render(res, 'partials/name', { name: 'x', extra: 1 })
  await render(res, 'partials/name', { name: note.title })
  await render(res, 'undeclared')
  await render(res, 'partials/name', { name: Promise.resolve('x') })
  await render(res, 'edit', { form: people.formFor() })
  await render(res, 'edit', { form: notes.formFor() })
  res.render('edit')
  res.redirect(303, \`/notes/\${note.id}\`)
  res.redirect('/note')
  const person = { id: 1 }
  pathTo(noteRoutes, 'GET /:id', person)
  const form = readForm(req, renamed)
  if (!form.valid) await render(res, 'signin', { form })
}
`,
)

const { errors } = await checkViews(project)
for (const [index, [code]] of UNBALANCED.entries()) write(`views/notes/unbalanced${index}.eta`, HEAD + code)
const syntaxErrors = (await checkViews(project)).errors
const errorsIn = (file: string) => errors.filter((error) => error.startsWith(`${file}(`))

describe('checkViews', () => {
  it.each(named('valid', VALID))('accepts correct code: %s', (name) => {
    expect(errorsIn(`views/notes/${name}.eta`)).toEqual([])
  })

  it.each(
    MISTAKES.map(([code, at, message], index) => ({
      code,
      at,
      message,
      file: `views/notes/mistake${index + 1}.eta`,
    })),
  )('finds the mistake in $code', ({ at, message, file }) => {
    const found = errorsIn(file)
    expect(found[0]).toContain(`${file}(${at}`)
    expect(found.join('\n')).toContain(message)
    expect(found).toHaveLength(1)
  })

  it('checks the data of pages', () => {
    const at = (error: string) => /\((\d+),/.exec(error)?.[1]
    const typed = errorsIn('app/pages.ts').filter((error) => error.includes('error TS'))
    expect(typed.map(at)).toEqual(['10', '11', '12', '13', '16', '17', '25'])
  })

  it('finds what TypeScript accepts in handlers', () => {
    const found = errorsIn('app/pages.ts').filter((error) => !error.includes('error TS'))
    expect(found.map((error) => error.replace(/^.*: error: /, ''))).toEqual([
      'Express knows no views here. Write await render(res, …) with render of pergola.',
      'security.manifest.json has no route /note.',
      'This route is about a Note, and person is a Person. Pass the record, or an object with its id.',
    ])
  })

  it('finds what makes the application refuse a form', () => {
    expect(errorsIn('views/lamps.eta')).toEqual([
      "views/lamps.eta(7,5): error: state has no value 'of'. It has on, off.",
      "views/lamps.eta(6,10): error: The form has no version of the record: include('/partials/version', { form }).",
    ])
  })

  it('names a missing await, and the form of another resource', () => {
    expect(errorsIn('app/pages.ts').join('\n')).toContain('write await before it')
    expect(errorsIn('app/pages.ts').join('\n')).toContain(
      'This is the form of Person, and the view shows that of Note.',
    )
  })

  it('gives mails their own context', () => {
    expect(errorsIn('views/mails/hello.text.eta')).toEqual([])
    expect(errorsIn('views/mails/broken.text.eta')[0]).toContain("'me'")
  })

  it('finds routes and local links in mails', () => {
    expect(errorsIn('views/mails/links.text.eta').join('\n')).toContain('A mail has no routes.')
    expect(errorsIn('views/mails/local.eta')).toEqual([
      'views/mails/local.eta(1,4): error: A mail needs the whole address: pass absoluteUrl(req, …) in its data.',
    ])
  })

  it('compares the data of a mail with its templates', () => {
    const [error] = errorsIn('views/mails/good_bye.eta')
    expect(error).toMatch(/^views\/mails\/good_bye\.eta\(2,1\d\): error TS2741: Property 'link' is missing/)
    expect(errorsIn('app/mails/good-bye.ts')).toEqual([
      'app/mails/good-bye.ts(4,30): error: The template views/mails/good_bye.text.eta of this mail does not exist.',
    ])
  })

  it('names the declaration that a view lacks', () => {
    expect(errorsIn('views/undeclared.eta')).toEqual([
      "views/undeclared.eta(2,8): error TS2339: 'title' is not in the data of this view. Declare it in the first tag: <% /** @type {{ title: … }} */ %>.",
    ])
  })

  it('finds a mistake in a declaration, and in a tag', () => {
    expect(errorsIn('views/type.eta')[0]).toMatch(
      /^views\/type\.eta\(2,22\): error TS2304: Cannot find name 'Nota'/,
    )
    expect(errorsIn('views/unclosed.eta')).toEqual([
      'views/unclosed.eta(2,1): error: This tag is not closed: %> is missing, or a quotation mark is missing or stands in a string, a comment or a regular expression.',
    ])
  })

  it('finds no other mistake because of a type that does not exist', () => {
    expect(errorsIn('views/missing.eta')).toHaveLength(1)
  })

  it('finds a mistake in an import', () => {
    expect(errorsIn('views/import.eta')[0]).toMatch(/^views\/import\.eta\(3,1\d\): error TS\d+: .*'Nota'/)
  })

  it.each(UNBALANCED.map((mistake, index) => [index, ...mistake] as const))(
    'finds the bracket that does not match: %i %s',
    (index, _code, at, message) => {
      const file = `views/notes/unbalanced${index}.eta`
      expect(syntaxErrors.filter((error) => error.startsWith(`${file}(`))).toEqual([
        expect.stringContaining(`${file}(${at}): error: ${message}`),
      ])
    },
  )

  it("finds no mistake in the framework's views", () => {
    expect(errors.filter((error) => error.startsWith('app/framework/'))).toEqual([])
  })
})

describe('watchViews', () => {
  it('prints the errors after each change, also after a check that failed to run', async () => {
    const lines: string[] = []
    for (const method of ['log', 'error'] as const)
      vi.spyOn(console, method).mockImplementation((line: string) => void lines.push(line))
    const ended = new AbortController()
    const watching = watchViews(project, ended.signal)
    onTestFinished(() => {
      ended.abort()
      return watching
    })
    const last = () =>
      lines.slice(lines.lastIndexOf('Checking the views …'), lines.lastIndexOf('Watching for changes.'))
    const printed = (text: string) => expect.poll(() => last().some((line) => line.includes(text))).toBe(true)
    await printed('This block is not closed')
    // An error in brackets hides the errors of types.
    for (const index of UNBALANCED.keys()) rmSync(join(project, `views/notes/unbalanced${index}.eta`))
    write('views/watched.eta', '<%= it.appNam %>')
    await printed("views/watched.eta(1,8): error TS2339: 'appNam' is not in the data of this view.")
    const config = readFileSync(join(project, 'tsconfig.json'), 'utf8')
    rmSync(join(project, 'tsconfig.json'))
    write('views/watched.eta', '<%= it.appNames %>')
    await printed('Cannot read file')
    write('tsconfig.json', config)
    write('views/watched.eta', '<%= it.appNamed %>')
    await printed("views/watched.eta(1,8): error TS2339: 'appNamed' is not in the data of this view.")
  })
})
