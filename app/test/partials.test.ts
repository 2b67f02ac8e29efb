import { describe, expect, it } from 'vitest'
import { testApp } from './test-app.ts'

const app = await testApp()
const admin = await app.newcomer({ roles: ['admin'], name: 'Ned Admin' })

describe('empty_list.eta', () => {
  it('names the search that found nothing, and links to the whole list', async () => {
    const { text } = await admin.get('/users?q=%3Cb%3Enone&size=5&page=3')
    expect(text).toContain('Nothing found for “&lt;b&gt;none”. <a href="/users?size=5">Show all users</a>')
  })

  it('names the last page to a caller who asked for one beyond it', async () => {
    const { text } = await admin.get('/users?q=ned&page=7')
    expect(text).toContain('There is no page 7. The last one is page 1.')
  })
})
