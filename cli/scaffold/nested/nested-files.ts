import { factoryData } from '../code/factory-code.ts'
import { formData } from '../code/form-markup.ts'
import { migrationData } from '../code/migration-code.ts'
import type { Templated } from '../code/render-template.ts'
import { schemaData } from '../code/schema-code.ts'
import { seedData } from '../code/seed-code.ts'
import type { FilesOptions, Model, Parent } from '../model.ts'
import { nestedData } from './nested-code.ts'
import { nestedBrowserData, nestedTestData } from './nested-test-code.ts'

/** Returns the files of a resource whose records stand on the page of their parent. */
export function nestedFiles(model: Model, parent: Parent, { migration }: FilesOptions): Templated[] {
  const { folder, file } = model.names
  const app = `app/${folder}/${file}`
  const views = `views/${folder}`
  const data = nestedData(model, parent)
  const tests: Templated[] = [
    [`${app}.test.ts`, `${TEMPLATES}/comment.test.ts`, nestedTestData(model, parent)],
    [`e2e/${folder}.spec.ts`, `${TEMPLATES}/comments.spec.ts`, nestedBrowserData(model, parent)],
  ]
  return [
    [`${app}.ts`, 'post.ts', schemaData(model)],
    [`${app}.policy.ts`, `${TEMPLATES}/comment.policy.ts`, data],
    [`${app}.repository.ts`, `${TEMPLATES}/comment.repository.ts`, data],
    [`${app}.list.ts`, `${TEMPLATES}/comment.list.ts`, data],
    [`${app}.controller.ts`, `${TEMPLATES}/comment.controller.ts`, data],
    [`${app}.factory.ts`, 'post.factory.ts', factoryData(model)],
    [`${app}.seed.ts`, 'post.seed.ts', seedData(model)],
    [`app/db/migrations/${migration}.ts`, 'migration.ts', migrationData(model)],
    [`${views}/_list.eta`, `${TEMPLATES}/views._list`, data],
    [`${views}/_fields.eta`, `${TEMPLATES}/views._fields`, { ...formData(model), ...data }],
    [`${views}/index.eta`, `${TEMPLATES}/views.index`, data],
    [`${views}/edit.eta`, `${TEMPLATES}/views.edit`, data],
    ...(model.tests ? tests : []),
  ]
}

const TEMPLATES = '../nested/templates'
