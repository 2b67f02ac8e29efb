import { deletedWords, importLine, sortedImports } from './snippets.ts'
import { choiceFields, listFields, targetsOf } from './model-fields.ts'
import { isOpen } from './readers-code.ts'
import type { Field } from '../field-types/field-type.ts'
import { groupsOf, labelsCode } from '../labels/labels-code.ts'
import type { Model } from '../model.ts'
import { pageCode } from '../many/list-filter.ts'
import { childrenData, countsData, featureImports, newForm } from '../nested/children-code.ts'

/** The variables of the controller's template. */
export function controllerData(model: Model): object {
  const { names, fields } = model
  const labelled = fields.filter(({ target, private: secret }) => target && !secret)
  const listed = listFields(model).filter(({ target }) => target)
  const hasChoices = choiceFields(model).length > 0
  const [children, counts] = [childrenData(model), countsData(model)]
  const sharesCtx = [...groupsOf(labelled)].length > 1
  const helpers = [
    ...ALWAYS,
    ...(labelled.length > 0 || counts.length > 0 ? ['policyContext'] : []),
    ...(isOpen(model) ? ['publicRoute'] : []),
    ...(hasChoices ? ['referenceChoices'] : []),
    ...(labelled.some(({ target }) => !target?.isUser) ? ['labelsOf'] : []),
  ]
  return {
    names,
    page: pageCode(model),
    hasChoices,
    deleted: deletedWords(model),
    list: labelsCode(model, listed, { ctx: 'ctx', page: 'list.page' }),
    counts: counts.map(({ entry }) => entry),
    record: labelsCode(model, labelled, { ctx: sharesCtx ? 'ctx' : 'await policyContext(req)' }),
    sharesCtx,
    frameworkImports: helpers.toSorted((a, b) => (sortKey(a) < sortKey(b) ? -1 : 1)),
    children,
    newForm: newForm(model),
    otherImports: importsOf(labelled, [...children, ...featureImports(model, counts)]),
  }
}

const sortKey = (name: string) => name.replace(/^type /, '').toLowerCase()

const ALWAYS = [
  'authorize',
  'flash',
  'type Handler',
  'load',
  'pathAfterWrite',
  'pathTo',
  'record',
  'render',
  'routes',
  'secured',
]

export function importsOf(labelled: readonly Field[], children: { import: string }[] = []): string[] {
  const lines = targetsOf(labelled).map(({ isUser, names }) =>
    isUser
      ? importLine('userNames', '#app/users/user.repository.ts')
      : importLine(names.type, `#app/${names.folder}/${names.file}.ts`),
  )
  return sortedImports([...lines, ...children.map((child) => child.import)])
}
