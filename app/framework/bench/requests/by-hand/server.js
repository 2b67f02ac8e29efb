import { hash, randomBytes } from 'node:crypto'
import { Eta } from 'eta'
import express from 'express'
import { getIronSession } from 'iron-session'
import { Pool, types } from 'pg'

// The works of the comparison with Express, pg, iron-session and Eta, as they are usually written by hand. With the
// argument `revocable`, a session is a row that each request reads; without it, the cookie contains the user.
// JavaScript, because Node needs 40 ms more to start a TypeScript file.
const isRevocable = process.argv[2] === 'revocable'

const { INT8, TIMESTAMPTZ } = types.builtins
types.setTypeParser(INT8, Number)
// A JavaScript Date would lose the microseconds that cursors need.
types.setTypeParser(TIMESTAMPTZ, (value) => value)

const COLUMNS = 'posts.id, title, body, published, author_id, posts.created_at'
const VISIBLE = '(published or author_id = $1)'
const NEWEST = 'posts.created_at desc, posts.id desc'
const pool = new Pool({ max: 8 })
const rowsOf = async (sql, values) => (await pool.query(sql, values)).rows
const eta = new Eta({ views: import.meta.dirname, cache: true })
const day = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeZone: 'UTC' })
const dayOf = (timestamp) => day.format(new Date(timestamp))

const canUpdate = (user, post) =>
  user !== null && (post.author_id === user.id || user.roles.includes('admin'))
const canShow = (user, post) => post.published || canUpdate(user, post)
const numberOf = (text, { fallback, max }) =>
  Math.min(Math.max(Number.parseInt(text, 10) || fallback, 1), max)
const sizeOf = (query) => numberOf(query.size, { fallback: 20, max: 100 })

const app = express()
app.use(express.json())
app.use(async (req, res, next) => {
  const password = 'a secret of the benchmark that protects nothing'
  req.session = await getIronSession(req, res, {
    password,
    cookieName: 'sid',
    cookieOptions: { secure: false },
  })
  req.user = (isRevocable ? await sessionUser(req.session.token) : req.session.user) ?? null
  next()
})

async function sessionUser(token) {
  if (token === undefined) return null
  const sql = `select users.id, name, roles from sessions join users on users.id = user_id
    where token_digest = $1 and disabled_at is null and last_seen_at > now() - interval '24 hours'`
  const [user] = await rowsOf(sql, [hash('sha256', token)])
  return user
}

app.get('/bench/login', async (req, res) => {
  const [user] = await rowsOf('select id, name, roles from users where id = $1', [req.query.uid])
  if (isRevocable) {
    req.session.token = randomBytes(32).toString('base64url')
    const digest = hash('sha256', req.session.token)
    await pool.query('insert into sessions (token_digest, user_id) values ($1, $2)', [digest, user.id])
  } else req.session.user = user
  await req.session.save()
  res.json({})
})

const count = async (user) => {
  const [{ total }] = await rowsOf(`select count(*) as total from posts where ${VISIBLE}`, [user?.id])
  return total
}

app.get('/api/posts', async (req, res, next) => {
  if (req.query.cursor !== undefined) return next()
  const size = sizeOf(req.query)
  const page = numberOf(req.query.page, { fallback: 1, max: 1e9 })
  const sql = `select ${COLUMNS} from posts where ${VISIBLE} order by ${NEWEST} limit $2 offset $3`
  const [total, content] = await Promise.all([
    count(req.user),
    rowsOf(sql, [req.user?.id, size, (page - 1) * size]),
  ])
  const pages = Math.ceil(total / size)
  res.json({ content, page, size, total_elements: total, total_pages: pages, has_next: page < pages })
})

app.get('/api/posts', async (req, res) => {
  const size = sizeOf(req.query)
  const values = [req.user?.id, size + 1]
  if (req.query.cursor) values.push(...JSON.parse(Buffer.from(req.query.cursor, 'base64url').toString()))
  const after = values.length > 2 ? 'and (posts.created_at, posts.id) < ($3, $4)' : ''
  const sql = `select ${COLUMNS} from posts where ${VISIBLE} ${after} order by ${NEWEST} limit $2`
  const rows = await rowsOf(sql, values)
  const content = rows.slice(0, size)
  const last = rows.length > size && content.at(-1)
  const next = last && Buffer.from(JSON.stringify([last.created_at, last.id])).toString('base64url')
  res.json({ content, size, next_cursor: next || null, has_next: rows.length > size })
})

const find = async (id) => (await rowsOf(`select ${COLUMNS} from posts where id = $1`, [id]))[0]

app.get('/api/posts/:id', async (req, res) => {
  const post = await find(req.params.id)
  if (!post || !canShow(req.user, post)) return res.status(404).json({ error: 'not found' })
  res.json(post)
})

app.put('/api/posts/:id', async (req, res) => {
  const { title, body } = req.body ?? {}
  if (typeof title !== 'string' || typeof body !== 'string') return res.status(422).json({ error: 'invalid' })
  const post = await find(req.params.id)
  if (!post || !canUpdate(req.user, post)) return res.status(404).json({ error: 'not found' })
  const sql = `update posts set title = $2, body = $3 where id = $1 returning ${COLUMNS}`
  const [updated] = await rowsOf(sql, [post.id, title, body])
  res.json(updated)
})

app.get('/posts', async (req, res) => {
  const page = numberOf(req.query.page, { fallback: 1, max: 1e9 })
  const sql = `select ${COLUMNS}, users.name as author from posts join users on users.id = author_id
    where ${VISIBLE} order by ${NEWEST} limit 20 offset $2`
  const [total, posts] = await Promise.all([count(req.user), rowsOf(sql, [req.user?.id, (page - 1) * 20])])
  res.send(
    eta.render('posts', { user: req.user, posts, canUpdate, dayOf, page, pages: Math.ceil(total / 20) }),
  )
})

app.listen(Number(process.env.PORT), '127.0.0.1')
