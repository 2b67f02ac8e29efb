import { AxeBuilder } from '@axe-core/playwright'
import { expect, test } from './support.ts'

/** The list components of the framework, each with a page that shows it and its selector. */
const PARTIALS: Record<string, [path: string, selector: string]> = {
  'the pager in the middle': ['/notes?page=7', 'nav.pager'],
  'the pager on the first page': ['/notes', 'nav.pager'],
  'the pager past the end': ['/notes?page=9999', 'nav.pager'],
  'the form for a size': ['/notes', 'form:has([name=size])'],
  'the form for a page': ['/notes', 'form:has([name=page])'],
  'the search form': ['/notes', 'search'],
  'the sort headings': ['/notes?sort=title', 'table'],
  'the cursor pager': ['/feed?size=5', 'nav.pager'],
  'the history of a record': ['/notes/1/history?history_size=1', '#history'],
  'the link that loads more': ['/feed/scroll?size=5', '#feed'],
}

for (const [name, [path, selector]] of Object.entries(PARTIALS)) {
  test(`${name} passes axe`, async ({ page }) => {
    await page.goto(path)
    const html = await page.locator(selector).evaluate((element) => element.outerHTML)
    await page.setContent(
      `<!doctype html><html lang="en"><title>Alone</title><main><h1>Alone</h1>${html}</main></html>`,
    )
    await expect(page.locator(selector)).toHaveCount(1)
    const { violations } = await new AxeBuilder({ page })
      .setLegacyMode()
      .options({ resultTypes: ['violations'] })
      .analyze()
    expect(violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)])).toEqual([])
  })
}
