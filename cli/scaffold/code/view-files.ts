import { formData } from './form-markup.ts'
import { indexData } from './index-markup.ts'
import type { GeneratedFile, Model } from '../model.ts'
import { renderTemplate } from './render-template.ts'
import { showData } from './show-markup.ts'

/** Returns the five views of a resource. They are not formatted, because Prettier can't format Eta. */
export async function viewFiles(model: Model): Promise<GeneratedFile[]> {
  const { folder } = model.names
  const texts: readonly (readonly [view: string, data: object])[] = [
    ['index', indexData(model)],
    ['show', showData(model)],
    ['new', formData(model)],
    ['edit', formData(model)],
    ['_form', formData(model)],
  ]
  return texts.map(([view, data]) => ({
    path: `views/${folder}/${view}.eta`,
    text: renderTemplate(`views.${view}`, data),
  }))
}
