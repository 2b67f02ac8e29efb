import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { argumentsOf, quickProject } from '../../test-support/quick-project.ts'
import { changeResource } from '../changes/change-resource.ts'

const { project, quick, read, run } = await quickProject({ gadget: 'title' })

describe('a field of type markdown', () => {
  it('needs the add-on', async () => {
    const written = project.files()
    await expect(run('gadget title body:markdown')).rejects.toThrow('Add it first: npx cli add markdown')
    expect(project.files()).toEqual(written)
  })

  it('is a text that its page shows as HTML', async () => {
    mkdirSync(join(project.root, 'app/markdown'))
    writeFileSync(join(project.root, 'app/markdown/markdown.ts'), '')
    await run('gadget title body:markdown note:markdown?')
    expect(read('app/gadgets/gadget.ts')).toContain('body: field.text(),')
    const page = read('views/gadgets/show.eta')
    expect(page).toContain("<%~ include('/partials/markdown', { body: it.markdown(gadget.body) }) %>")
    expect(page).toContain('<% if (gadget.note !== null) { %><%~ include(')
    const changes = { type: ['body:text', 'note:text?'] }
    await changeResource(quick, { args: argumentsOf('gadget'), changes }, { migrate: false })
    expect(read('views/gadgets/show.eta')).not.toContain('markdown')
  })
})
