/** The types that views declare their data with, for `npx cli views check`. Imported as `pergola/views`. */

export type { Viewer } from '../http/settings.ts'
export type { FormState } from '../http/views/form.ts'
export { html, type Html } from '../http/views/html.ts'
export type { AssetFiles, DataArgument, ViewName, Views } from './typed-render.ts'
export type { Choices } from '../features/choices/reference-choices.ts'
export type { StoredMail } from '../mail/mail-folder.ts'
export type { RenderedMail } from '../mail/render-mail.ts'
export type { ListState } from '../pagination/list-state.ts'
export type { AnyPage } from '../pagination/page.ts'
export type { Swap } from '../pagination/pager-links.ts'
export type { ListOnPage } from '../repository/page-steps.ts'
export type {
  ChoicesOf,
  ErrorPageData,
  FormOf,
  ListPartials,
  MailData,
  Names,
  RoutesIn,
  ViewCode,
  ViewContext,
} from './view-code.ts'
