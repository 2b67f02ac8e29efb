import { describe, expect, it } from 'vitest'
import { askedBy, explicitOptions, wordsOfCommand } from './options.ts'

describe('askedBy', () => {
  it('reads every option, and wordsOfCommand writes it again', () => {
    const words =
      'book title --plural tomes --in shelf --owner none --label title --cursor id --public-when out --id uuid --public-read --no-api --soft-delete --version --no-tests'.split(
        ' ',
      )
    const args = askedBy(words)
    expect(args).toEqual({
      name: 'book',
      fields: ['title'],
      options: {
        plural: 'tomes',
        in: 'shelf',
        owner: 'none',
        label: 'title',
        cursor: 'id',
        publicWhen: 'out',
        id: 'uuid',
        publicRead: true,
        api: false,
        softDelete: true,
        version: true,
        tests: false,
      },
    })
    expect(wordsOfCommand(args)).toEqual(words)
  })
})

describe('explicitOptions', () => {
  it.each([
    [[], undefined],
    [['--version'], true],
    [['--no-version'], false],
  ])('reads the version of %j as %j', (words, version) => {
    expect(askedBy(['book', ...words]).options.version).toBe(version)
  })

  it('omits defaults and options of the command', () => {
    expect(explicitOptions({ api: true, tests: true, plural: undefined, force: true, id: 'uuid' })).toEqual({
      id: 'uuid',
    })
  })
})
