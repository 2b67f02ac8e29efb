import type { Response } from 'express'
import { render as renderUnchecked } from '../http/views/render.ts'

/** The data of each view, by its path below `views`. `npx cli views check` writes it from the first tags of the views. */
// oxlint-disable-next-line typescript/no-empty-object-type -- augmented
export interface Views {}

/** The files that pages load, by their names. `npx cli views check` adds those of `public`, an application the others. */
// oxlint-disable-next-line typescript/no-empty-object-type -- augmented
export interface AssetFiles {}

/** The path of a view. Any text before the first check of the views. */
export type ViewName = keyof Views extends never ? string : keyof Views & string

/** The data of a view. */
export type DataOf<Name> = Name extends keyof Views ? Views[Name] : object

export type ArgumentOf<Data> = object extends Data ? [data?: Data] : [data: Data]

/** The arguments after the name of a view: its data, which a view without required values doesn't need. */
export type DataArgument<Name> = ArgumentOf<DataOf<Name>>

/**
 * Renders `views/<view>.eta` and sends it. The view has `data` under `it`, together with `me` (the viewer), `flash`,
 * `nav`, `appName`, the named route tables and helpers such as `pathTo`, `paginationNav` and `formatDate`. Costs the application's `viewer`. Throws
 * with the name of the view if it doesn't exist or fails. After `npx cli views check`, TypeScript checks the data.
 *
 * ```ts
 * await render(res.status(422), 'posts/new', { form })
 * ```
 */
export const render = <Name extends ViewName>(
  res: Response,
  view: Name,
  ...[data]: DataArgument<Name>
): Promise<void> => renderUnchecked(res, view, data)
