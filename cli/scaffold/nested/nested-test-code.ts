import { browserTestData } from '../code/browser-test-code.ts'
import { enteredText } from '../code/examples.ts'
import { httpTestData } from '../code/http-test-code.ts'
import { inputFields } from '../code/model-fields.ts'
import { readersData } from '../code/readers-code.ts'
import { orderedLists } from '../many/list-test-code.ts'
import { importLine, quoted, sortedImports } from '../code/snippets.ts'
import type { Model, Parent } from '../model.ts'
import { withArticle } from '../read/names.ts'
import { listNames } from './children-code.ts'
import { seenBy, targetImports, withParents } from './seen-records.ts'

/** The variables of the templates of the tests of a nested resource. */
export function nestedTestData(model: Model, parent: Parent): object {
  const { names, owner, tenant } = model
  const { names: up, readers } = parent.model
  const { target } = parent.field
  const http = httpTestData(model)
  const { shownTo, telling } = readersData(parent.model)
  const writer = owner || parent.model.owner ? 'owner' : 'admin'
  return {
    ...http,
    names,
    up,
    column: parent.field.column,
    owner,
    writer,
    // The test creates the parent itself.
    parents: http.parents
      .filter(({ target }) => target.names.resource !== up.resource)
      .map(({ variable, target }) => ({ variable, code: seenBy(model, target, writer) })),
    ordered: orderedLists(model, { writer, other: 'owner' }),
    references: http.references.filter(({ target }) => target !== up.type),
    list: listNames(names),
    imports: sortedImports([
      ...new Set([
        ...http.imports.filter((line) => !line.includes("'pergola/testing'")),
        importLine(telling ? 'expectParity, ownedBy' : 'ownedBy', 'pergola/testing'),
        ...targetImports(withParents(model, [target])),
      ]),
    ]),
    aParent: withArticle(up.human),
    makeParent: (more = '', user = 'owner') => seenBy(model, target, user, more),
    hidden: typeof readers === 'object' ? `${readers.when.column}: false` : '',
    share: tenant && `share${tenant.names.resource}(owner.user, stranger.user, admin.user)`,
    makes: `${tenantIn(model, 'owner')}${owner ? `${owner.column}: ${writer}.user.id, ` : ''}`,
    readers: `[app.guest, stranger, ${parent.model.owner ? 'owner, ' : ''}admin]`,
    shownTo,
    telling,
  }
}

/** Returns code for the tenant of a record of this model. */
const tenantIn = ({ tenant }: Model, user: string): string =>
  tenant ? `${tenant.column}: ${user}.user.${tenant.column}, ` : ''

/** The variables of the browser test's template. */
export function nestedBrowserData(model: Model, { model: { names: up } }: Parent): object {
  const input = inputFields(model)
  const shown = input.find(({ type, unique }) => type.isSearchable && !unique)
  return {
    ...browserTestData(model),
    up,
    aParent: withArticle(up.human),
    inList,
    shown: shown && quoted(enteredText(shown, 901)),
  }
}

/** Narrows a locator to the list. Its dialogs have labels too, which contain the text of a record. */
const inList = (code: string): string =>
  code
    .replaceAll('page.getBy', 'list.getBy')
    .replaceAll(/(getByLabel\('(?:[^'\\]|\\.)*')\)/g, '$1, { exact: true })')
