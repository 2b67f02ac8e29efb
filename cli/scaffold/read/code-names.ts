const setOf = (words: string): ReadonlySet<string> => new Set(words.trim().split(/\s+/))

/** Words that are not valid as the name of a variable in a module. */
const LANGUAGE = setOf(`
  arguments await break case catch class const continue debugger default delete do else enum eval export extends false
  finally for function if implements import in instanceof interface let new null package private protected public return
  static super switch this throw true try typeof undefined var void while with yield
`)

/** Properties of every object. A view would read them from `it` if the record is missing. */
const OF_OBJECTS = setOf(
  'constructor hasOwnProperty isPrototypeOf propertyIsEnumerable toLocaleString toString valueOf',
)

/** Names that generated modules and app/resources.ts use. */
const IN_CODE = setOf(`
  admin answer app authorize beforeEach blind choices ctx dayBetween daysAgo describe draft error etag
  exampleSentence exampleText exampleTitle expect expectParity faker field first firstIds flash form given href idIn
  input inTurn is it labelsOf list load made make may mayCreate mayWrite member momentBetween newForm nthDay
  nthMoment nthTime officeTime ownedBy owner path pathAfterWrite policy policyContext publicRoute query re
  readers record referenceChoices render repository req res resource resources routes scope secured seededFaker
  state stored stranger testApp transitions userIds userNames values
`)

/** Names that views use: helpers, the data of every page, and variables of the generated views. */
const IN_VIEWS = setOf(`
  appName asset autofocus autofocusLoaded basePath block body capture current cursorPaginationNav excerpt formatDate formatDateTime
  formatMoney formatRelative here humanize include isError isLinkPage layout loadMore loadedStatus me nav page pageInfo pageJump pageSize options output pageStatus paginationNav pathTo
  searchForm sortHeading status swap theme time title wholeListHref
`)

/** Global types and constants, and types that generated modules import. */
const TYPES = setOf(`
  Array ArrayBuffer Atomics Awaited BigInt Boolean ColumnType DataView Date Error Exclude Extract Function Generated GeneratedAlways
  Handler Html Infinity Intl Iterator Json Map Math May Names NonNullable Number Object Omit Parameters Partial Pick Policies PolicyContext Promise
  Proxy Readonly Record Reflect RegExp Required ReturnType RowOf Set String Symbol Tables WeakMap WeakRef WeakSet
`)

/** The beginnings of the application's own route tables. Views have them beside those of the resources. */
const OWN_ROUTES = setOf(`
  acceptance account address backgroundJob changePassword checkMail confirmation deletion home invitation ownSecurityEvent
  ownSession password passwordReset signIn signInLink signUp theme verification
`)

/** The application's own folders in app/ and views/ that have the name of a plural. */
const OWN_FOLDERS = setOf('errors jobs layouts mails partials tasks')

/** Returns a name for a variable that generated code does not use: `pageRecord` for `page`. */
export const variableFor = (name: string, suffix: 'Record' | 'List' | 'Task' | 'Job' | 'Mail'): string =>
  [LANGUAGE, OF_OBJECTS, IN_CODE, IN_VIEWS].some((names) => names.has(name)) ? name + suffix : name

/** Returns a name for a resource and its type that is not global: `ErrorRecord` for `Error`. */
export const typeFor = (name: string): string => (TYPES.has(name) ? `${name}Record` : name)

/** Returns a beginning for the route table of a resource: `accountRecord` for `account`, whose route table exists. */
export const routesFor = (name: string): string => (OWN_ROUTES.has(name) ? `${name}Record` : name)

/** Returns a folder for a resource: `job-records` for `jobs`, because destroying the resource removes its folders. */
export const folderFor = (many: string, one: string): string =>
  OWN_FOLDERS.has(many) ? `${one}-records` : many
