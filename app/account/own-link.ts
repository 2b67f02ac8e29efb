import type { Request, Response } from 'express'
import { policyContext } from 'pergola'
import type { Purpose } from '#app/account-tokens/account-token-table.ts'
import { findToken } from '#app/account-tokens/account-tokens.ts'
import { type NextStep, renderInvalidLink, renderLinkPage, tokenIn } from '#app/account-tokens/links.ts'

interface OwnLink {
  readonly purpose: Purpose
  /** The path that the form is sent to. */
  readonly action: string
  readonly next: NextStep
}

/**
 * Shows the page of a link that only its signed-in user can confirm. Otherwise a stranger could add an address to their
 * own account, and let its owner confirm it.
 */
export async function showOwnLink(
  req: Request,
  res: Response,
  { purpose, action, next }: OwnLink,
): Promise<void> {
  const { userId } = await policyContext(req)
  // In the form, because a redirect would repeat the token in another address.
  if (userId === null) return renderLinkPage(res, 'account/sign_in_first', { returnTo: req.originalUrl })
  const link = await findToken(purpose, tokenIn(req), userId)
  if (link === null) return renderInvalidLink(res, next)
  await renderLinkPage(res, 'account/confirm_address', {
    action,
    address: link.address,
    token: tokenIn(req),
  })
}
