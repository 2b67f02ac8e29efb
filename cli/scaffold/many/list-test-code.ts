import { choiceFields } from '../code/model-fields.ts'
import type { Model } from '../model.ts'

/** The lists of ids for which the test hides the other records. The pages show the label of every user. */
export const hiddenLists = (model: Model) =>
  choiceFields(model).flatMap(({ column, label, type, target }) =>
    type.isList && target && !target.isUser && !target.isSelf
      ? [{ column, humans: label.toLowerCase(), target }]
      : [],
  )
