import { controlFields } from '../code/model-fields.ts'
import type { Model } from '../model.ts'

/** Returns whether the search form of the list offers other records. */
export const offersRecords = (model: Model): boolean => controlFields(model).some(({ target }) => target)

/** Returns code of the page of a list, with the records that its search form offers. */
export function pageCode(model: Model): string {
  const { names, cursor } = model
  const page = `await ${names.many}.${cursor === null ? 'pageFor' : 'cursorPageFor'}(req)`
  return offersRecords(model) ? `await withFilterChoices(req, ${names.type}, ${page})` : page
}
