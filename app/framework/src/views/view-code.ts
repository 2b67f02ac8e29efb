import type { FieldError, HttpError } from '../http/errors.ts'
import type { FormState } from '../http/views/form.ts'
import type { Flash } from '../http/views/flash.ts'
import type { Html } from '../http/views/html.ts'
import type { Models } from '../http/views/list-views.ts'
import type { pageHelpers } from '../http/views/render.ts'
import type { NavLink, Viewer } from '../http/settings.ts'
import type { Mail } from '../mail/mail.ts'
import type { ListOf } from '../lists/list-query.ts'
import type { referenceChoices } from '../features/choices/reference-choices.ts'
import type { ListColumns } from '../resource/list-columns.ts'
import type { InputOf, Resource } from '../resource/resource.ts'
import type { cursorPagerModel } from '../pagination/cursor-pager.ts'
import type { loadMoreModel } from '../pagination/load-more.ts'
import type { pagerModel } from '../pagination/pager.ts'
import type { ArgumentOf, AssetFiles, DataOf, ViewName } from './typed-render.ts'

type Helpers = ReturnType<typeof pageHelpers>
type SortHeading = Parameters<Helpers['sortHeading']>
type SearchForm = Parameters<Helpers['searchForm']>

/** What every page has under `it` beside its data. An application adds its route tables. */
export interface ViewContext extends Omit<Helpers, 'asset' | 'sortHeading' | 'searchForm'> {
  readonly asset: (name: keyof AssetFiles) => string
  /** The heading of a column by which the list can be sorted. */
  readonly sortHeading: <Lists extends ListColumns, Row>(
    list: SortHeading[0] & ListOf<Lists> & { readonly content?: readonly Row[] },
    column: Lists['sort'][number] & (unknown extends Row ? string : keyof Row),
    options: SortHeading[2],
  ) => Html
  /** The form that searches and filters a list. */
  readonly searchForm: <Lists extends ListColumns>(
    list: SearchForm[0] & ListOf<Lists>,
    options: Omit<SearchForm[1], 'omit'> & { readonly omit?: readonly (keyof Lists['filters'])[] },
  ) => Html
  /** The signed-in user; null for guests. */
  readonly me: Viewer | null
  readonly flash: Flash | null
  readonly appName: string
  /** The navigation links that the viewer may open. */
  readonly nav: readonly NavLink[]
}

/** What every mail has under `it` beside its data. */
interface MailContext extends Pick<ViewContext, 'appName' | 'formatDate' | 'formatDateTime' | 'formatMoney'> {
  readonly subject: string
}

/** The route tables of these pages and resources, by the names that views use. */
export type RoutesIn<Declared> = Merged<Declared extends { readonly routes: infer Named } ? Named : never>
type Merged<Each> = { readonly [Name in KeysOf<Each>]: ValueOf<Each, Name> }
type KeysOf<Each> = Each extends unknown ? keyof Each : never
type ValueOf<Each, Name> = Each extends unknown ? (Name extends keyof Each ? Each[Name] : never) : never

/** The data of the partials of lists, by their names. They have nothing else under `it`. */
export type ListPartials = { readonly [Name in keyof Models]: NonNullable<ReturnType<Models[Name]>> } & {
  readonly cursor_pagination_nav: NonNullable<ReturnType<typeof cursorPagerModel>>
  readonly load_more: NonNullable<ReturnType<typeof loadMoreModel>>
  readonly pager_end: { readonly id: string; readonly rel: 'prev' | 'next'; readonly end: PagerEnd }
}

type PagerEnd = ReturnType<typeof pagerModel>['previous']

type MailView = `mails/${string}`

/** The names under `it` besides the data of a view. */
type ContextOf<Name> = Name extends `partials/${keyof ListPartials}`
  ? unknown
  : Name extends MailView
    ? MailContext
    : ViewContext

/** The data of a mail's templates. */
export type MailData<Declared> = Declared extends Mail<infer Input> ? Input : never

/** The data of `errors/error`. */
export interface ErrorPageData {
  readonly isError: true
  readonly status: number
  readonly title: string
  readonly detail: string
  readonly errors: readonly FieldError[]
  readonly link: HttpError['link'] | null
  /** Only in development. */
  readonly stack?: string
}

/** Labels by ids, such as the names of users, as views read them. */
export interface Names<Id = number> {
  get(id: Id | null): string | undefined
  has(id: Id | null): boolean
}

/** The options of a form's reference fields, by their columns. */
export type ChoicesOf<R extends Resource> = Awaited<ReturnType<typeof referenceChoices<R>>>

/** The state of a form with the fields of a resource's input. */
export type FormOf<R extends Resource> = FormState<keyof InputOf<R> & string, R['name']>

/** The functions of tags. The checked code of a view calls `text` for `<%= … %>`, and `markup` for `<%~ … %>`. */
interface Tags<It, Includable> {
  text<Value extends Printable>(value: Value extends Html ? PrintWithTilde : Value): void
  markup(value: Html | ''): void
  include<Name extends ViewName & Includable, Field extends string>(
    name: `/${Name}`,
    ...data: ArgumentOf<WithFields<DataOf<Name>, Field>>
  ): Html
  layout<Name extends ViewName & Includable>(
    name: `/${Name}`,
    ...data: ArgumentOf<OwnData<DataOf<Name>, It>>
  ): void
  block(name: string, content?: () => void): Html
  capture(content: () => void): Html
  output(text: string): void
  /** Eta's options of the view. */
  readonly options: unknown
}

/** A partial about fields of a form receives names of that form. */
type WithFields<Data, Field extends string> = Data extends { readonly form: FormState }
  ? Omit<Data, 'form' | 'name' | 'fields'> & { readonly form: FormState<Field> } & {
      readonly [Key in keyof Data & ('name' | 'fields')]: Key extends 'name'
        ? FieldName<Field>
        : readonly FieldName<Field>[]
    }
  : Data

/** A form without values has no names. */
type FieldName<Field extends string> = [Field] extends [never] ? string : NoInfer<Field>

type Printable = string | number | bigint | boolean | null | undefined

/** The message of TypeScript for HTML in `<%= … %>`. */
interface PrintWithTilde extends Record<'<%~ … %> prints HTML', never> {}

/** A layout reads the data of its page too, and its content as `body`. */
type OwnData<Data, It> = Omit<Data, keyof It | 'body'> & Partial<Omit<Data, 'body'>>

/** The parameters of the checked code of a view. */
export interface ViewCode<Name, Data> {
  readonly it: Data & ContextOf<Name>
  readonly tags: Tags<Data & ContextOf<Name>, Name extends MailView ? MailView : Exclude<ViewName, MailView>>
}
