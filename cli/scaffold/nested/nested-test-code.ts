import { browserTestData } from '../code/browser-test-code.ts'
import { enteredText } from '../code/examples.ts'
import { httpTestData } from '../code/http-test-code.ts'
import { inputFields } from '../code/model-fields.ts'
import { readersData } from '../code/readers-code.ts'
import { importLine, quoted, sortedImports } from '../code/snippets.ts'
import type { Model, Parent } from '../model.ts'
import { listNames } from './children-code.ts'

/** The variables of the templates of the tests of a nested resource. */
export function nestedTestData(model: Model, parent: Parent): object {
  const { names, owner, tenant } = model
  const { names: up, readers } = parent.model
  const http = httpTestData(model)
  const { shownTo, telling } = readersData(parent.model)
  const writer = owner || parent.model.owner ? 'owner' : 'admin'
  const tenantOf = (user: string) => (tenant ? `${tenant.column}: ${user}.user.${tenant.column}, ` : '')
  return {
    ...http,
    names,
    up,
    column: parent.field.column,
    owner,
    writer,
    parents: http.parents.map(({ variable, code }) => ({
      variable,
      code: code.replaceAll('admin.user', `${writer}.user`),
    })),
    references: http.references.filter(({ target }) => target !== up.type),
    list: listNames(names),
    imports: sortedImports([
      ...http.imports.filter((line) => !line.includes("'pergola/testing'") && !line.includes('.factory.ts')),
      ...factories(model, parent),
      importLine('expectParity, ownedBy', 'pergola/testing'),
      importLine(up.type, `#app/${up.folder}/${up.file}.ts`),
    ]).filter((line, at, all) => all.indexOf(line) === at),
    forbidden: `${http.forbidden}, ${quoted(parent.field.column)}`,
    makeParent: `make${up.resource}({ ${tenantOf('owner')}...ownedBy(${up.type}, owner.user)`,
    hidden: typeof readers === 'object' ? `, ${readers.when.column}: false` : '',
    share: tenant && `share${tenant.names.resource}(owner.user, stranger.user, admin.user)`,
    makes: `${tenantOf(writer)}${owner ? `${owner.column}: ${writer}.user.id, ` : ''}`,
    readers: `[app.guest, stranger, ${parent.model.owner ? 'owner, ' : ''}admin]`,
    shownTo,
    telling,
  }
}

/** Returns the imports of the factories and of the helpers of tenants. */
function factories(model: Model, { model: { names: up } }: Parent): string[] {
  const { imports } = httpTestData(model)
  return [
    ...imports.filter((line) => line.includes('.factory.ts')),
    importLine(`make${up.resource}`, `#app/${up.folder}/${up.file}.factory.ts`),
  ]
}

/** The variables of the browser test's template. */
export function nestedBrowserData(model: Model, { model: { names: up } }: Parent): object {
  const input = inputFields(model)
  const shown = input.find(({ type, unique }) => type.isSearchable && !unique)
  return {
    ...browserTestData(model),
    up,
    inList,
    shown: shown && quoted(enteredText(shown, 901)),
  }
}

/** Narrows a locator to the list. Its dialogs have labels too, which contain the text of a record. */
const inList = (code: string): string =>
  code
    .replaceAll('page.getBy', 'list.getBy')
    .replaceAll(/(getByLabel\('(?:[^'\\]|\\.)*')\)/g, '$1, { exact: true })')
