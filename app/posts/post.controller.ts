import {
  abilities,
  authorize,
  flash,
  formFor,
  formInput,
  type Handler,
  listQuery,
  load,
  mayCreate,
  pageRequest,
  pathAfterWrite,
  pathTo,
  policyContext,
  publicRoute,
  record,
  render,
  routes,
  secured,
  storeForm,
} from 'pergola'
import { userNames } from '#app/users/user.repository.ts'
import { posts } from './post.repository.ts'
import { Post } from './post.ts'

const index: Handler = async (req, res) => {
  const ctx = await policyContext(req)
  const query = listQuery(req, Post)
  const page = await posts.visibleTo(ctx).page(pageRequest(req, posts), { query, count: { cap: 1_000 } })
  await render(res, 'posts/index', {
    page,
    query,
    authors: await userNames(
      ctx,
      page.content.map((post) => post.author_id),
    ),
    may: await abilities(req, Post, page.content, ['update', 'delete']),
    mayCreate: await mayCreate(req, Post),
  })
}

const newForm: Handler = (req, res) =>
  render(res, 'posts/new', { form: formFor(Post, record(req, Post, 'create')) })

const create: Handler = async (req, res) => {
  const draft = record(req, Post, 'create')
  const form = await storeForm(await formInput(req, Post), (input) => posts.insert(draft, input))
  if (!form.valid) return render(res.status(form.status), 'posts/new', { form })
  await flash(req, 'Post created.')
  res.redirect(303, await pathAfterWrite(req, form.stored, postRoutes))
}

const show: Handler = async (req, res) => {
  const post = record(req, Post, 'show')
  await render(res, 'posts/show', {
    post,
    authors: await userNames(await policyContext(req), [post.author_id]),
    may: await abilities(req, Post, [post], ['update', 'delete']),
  })
}

const edit: Handler = (req, res) => {
  const post = record(req, Post, 'update')
  return render(res, 'posts/edit', { post, form: formFor(Post, post) })
}

const update: Handler = async (req, res) => {
  const post = record(req, Post, 'update')
  const form = await storeForm(await formInput(req, Post, post), (input) => posts.update(post, input))
  if (!form.valid) return render(res.status(form.status), 'posts/edit', { post, form })
  await flash(req, 'Post updated.')
  res.redirect(303, await pathAfterWrite(req, form.stored, postRoutes))
}

const destroy: Handler = async (req, res) => {
  const post = record(req, Post, 'delete')
  await posts.delete(post)
  await flash(req, 'Post deleted.')
  res.redirect(303, pathTo(postRoutes, 'GET /'))
}

export const postRoutes = routes('/posts', {
  'GET /': [publicRoute(), index],
  'GET /new': [secured(), authorize('create', Post), newForm],
  'POST /': [secured(), authorize('create', Post), create],
  'GET /:id': [publicRoute(), load(Post), authorize('show', Post), show],
  'GET /:id/edit': [secured(), load(Post), authorize('update', Post), edit],
  'PUT /:id': [secured(), load(Post), authorize('update', Post), update],
  'DELETE /:id': [secured(), load(Post), authorize('delete', Post), destroy],
})
