import {
  authorize,
  flash,
  type Handler,
  load,
  pathAfterWrite,
  pathTo,
  policyContext,
  publicRoute,
  record,
  render,
  routes,
  secured,
} from 'pergola'
import { userNames } from '#app/users/user.repository.ts'
import { posts } from './post.repository.ts'
import { Post } from './post.ts'

const index: Handler = async (req, res) => {
  const list = await posts.pageFor(req)
  const ctx = await policyContext(req)
  await render(res, 'posts/index', {
    ...list,
    authors: await userNames(
      ctx,
      list.page.content.map((post) => post.author_id),
    ),
  })
}

const newForm: Handler = (req, res) =>
  render(res, 'posts/new', { form: posts.formFor(record(req, Post, 'create')) })

const create: Handler = async (req, res) => {
  const form = await posts.createFrom(req)
  if (!form.valid) return render(res.status(form.status), 'posts/new', { form })
  await flash(req, 'Post created.')
  res.redirect(303, await pathAfterWrite(req, form.stored, postRoutes))
}

const show: Handler = async (req, res) => {
  const post = record(req, Post, 'show')
  await render(res, 'posts/show', {
    post,
    authors: await userNames(await policyContext(req), [post.author_id]),
    may: await posts.abilities(req, [post]),
  })
}

const edit: Handler = (req, res) => {
  const post = record(req, Post, 'update')
  return render(res, 'posts/edit', { post, form: posts.formFor(post) })
}

const update: Handler = async (req, res) => {
  const post = record(req, Post, 'update')
  const form = await posts.updateFrom(req, post)
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
