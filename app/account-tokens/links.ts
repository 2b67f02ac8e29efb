import type { Request, Response } from 'express'
import { render } from 'pergola'
import type { DataArgument, ViewName } from 'pergola/views'
import { configOf } from '#app/config-of.ts'
import type { Config } from '#app/config.ts'
import { ownAddress, ownHosts } from '#app/own-hosts.ts'
import type { Purpose } from './account-token-table.ts'

/** The page of each link, which reads the token from its query: logs contain paths without queries. */
const PAGES = {
  'sign-up': '/signup/confirm',
  'sign-in': '/login/link/confirm',
  password: '/password-reset/new',
  verification: '/account/verification/confirm',
  'address-change': '/account/address/confirm',
  invitation: '/invitation',
} as const satisfies Record<Purpose, string>

/** The request of a link, or in tasks and jobs, which have none, the configuration and the subdomain of the account. */
export type LinkOrigin = Request | { readonly config: Config; readonly subdomain?: string | undefined }

/**
 * Returns the address of a page of this application, for mails: `https://example.org/login`. Without a request and a
 * subdomain, it begins with `BASE_URL`, or with the address of the shard.
 */
export const absoluteUrl = (from: LinkOrigin, path: string): string => new URL(path, addressFor(from)).href

const addressFor = (from: LinkOrigin): string =>
  'config' in from ? ownAddress(from.config, from.subdomain) : ownHosts(configOf(from)).ownOrigin(from)

/** Returns the link with this token, for a mail. `returnTo` is the page after the sign-up. */
export function linkTo(
  from: LinkOrigin,
  { purpose, token, returnTo = '/' }: { purpose: Purpose; token: string; returnTo?: string },
): string {
  const query = new URLSearchParams({ token, ...(returnTo !== '/' && { return_to: returnTo }) })
  return absoluteUrl(from, `${PAGES[purpose]}?${query.toString()}`)
}

/** Returns the token of a link or of the form on its page. Empty without one. */
export function tokenIn(req: Request): string {
  const { token = req.query['token'] } = (req.body ?? {}) as { token?: unknown }
  return typeof token === 'string' ? token : ''
}

/** Returns whether the response is the page of a link, to which no other page returns. */
export const isLinkPage = ({ res }: Request): boolean => res?.locals['isLinkPage'] === true

/** Renders the page of a link. Its address, which contains the token, is in no `Referer`. */
export function renderLinkPage<Name extends ViewName>(
  res: Response,
  view: Name,
  ...data: DataArgument<Name>
): Promise<void> {
  // Not `no-referrer`, with which browsers send the form with `Origin: null`: a request from another site.
  res.set('Referrer-Policy', 'strict-origin')
  // Browsers go back to the response of a form only if they may store it: they don't send the form again.
  if (res.statusCode === 422) res.set('Cache-Control', 'private, no-cache')
  res.locals['isLinkPage'] = true
  return render(res, view, ...data)
}

/** The page on which a user gets a new link. */
export interface NextStep {
  readonly href: string
  readonly label: string
  /** A sentence before the link. */
  readonly hint?: string
}

/** Renders the page about a link that is not valid, the same for every reason. */
export const renderInvalidLink = (res: Response, next: NextStep): Promise<void> =>
  renderLinkPage(res.status(404), 'account/invalid_link', { next })
