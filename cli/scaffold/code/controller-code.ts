import { deletedWords, importLine, labelsNameOf, sortedImports } from './snippets.ts'
import { choiceFields, listFields, targetsOf } from './model-fields.ts'
import { isOpen } from './readers-code.ts'
import type { Field } from '../field-types/field-type.ts'
import type { Model } from '../model.ts'
import { childrenData, countImports, countsData, newForm, newFormImports } from '../nested/children-code.ts'

/** The variables of the controller's template. */
export function controllerData(model: Model): object {
  const { names, cursor, fields } = model
  const labelled = fields.filter(({ target, private: secret }) => target && !secret)
  const listed = listFields(model).filter(({ target }) => target)
  const hasChoices = choiceFields(model).length > 0
  const [children, counts] = [childrenData(model), countsData(model)]
  const recordCtx = labelled.length > 1 ? 'ctx' : 'await policyContext(req)'
  const helpers = [
    ...ALWAYS,
    ...(labelled.length > 0 || counts.length > 0 ? ['policyContext'] : []),
    ...(isOpen(model) ? ['publicRoute'] : []),
    ...(hasChoices ? ['referenceChoices'] : []),
    ...(labelled.some(({ target }) => !target?.isUser) ? ['labelsOf'] : []),
  ]
  return {
    names,
    byCursor: cursor !== null,
    hasChoices,
    deleted: deletedWords(model),
    listLabels: [
      ...listed.map((field) => labelsEntry(model, field, { ctx: 'ctx', ids: idsOfPage(model, field) })),
      ...counts.map(({ entry }) => entry),
    ],
    recordLabels: labelled.map((field) => {
      const value = `${names.record}.${field.column}`
      return labelsEntry(model, field, { ctx: recordCtx, ids: field.type.isList ? value : `[${value}]` })
    }),
    frameworkImports: helpers.toSorted((a, b) => (sortKey(a) < sortKey(b) ? -1 : 1)),
    children,
    newForm: newForm(model),
    otherImports: importsOf(labelled, [...children, ...countImports(counts), ...newFormImports(model)]),
  }
}

export const idsOfPage = ({ names }: Model, { column, type }: Field, page = 'list.page') =>
  `${page}.content.${type.isList ? 'flatMap' : 'map'}((${names.record}) => ${names.record}.${column})`

export function labelsEntry(model: Model, field: Field, { ctx, ids }: { ctx: string; ids: string }): string {
  const { target } = field
  const name = labelsNameOf(field, model)
  return target?.isUser
    ? `${name}: await userNames(${ctx}, ${ids})`
    : `${name}: await labelsOf(${ctx}, ${target?.names.type}, ${ids})`
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
