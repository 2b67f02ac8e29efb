/** One clone, and what is scaffolded in it, in this order. What the rows of the matrix have to pass is in scaffold.matrix.ts. */
export interface Row {
  readonly name: string
  readonly commands: readonly string[]
}

const FORTY = Array.from(
  { length: 40 },
  (_, index) => `column_${index + 1}:${index % 4 === 3 ? 'integer?' : 'string?'}`,
)

/** The models that a generator stumbles over. */
export const MATRIX: readonly Row[] = [
  {
    name: 'the sample by another name',
    commands: [
      'article title:string{1..200} body:text published:boolean author:references:user --public-when published',
    ],
  },
  {
    name: 'every type',
    commands: [
      'specimen title:string summary:text amount:integer distance:bigint price:decimal weight:float rare:boolean ' +
        'found_on:date found_at:time seen_at:datetime code:uuid details:json contact:email homepage:url handle:slug ' +
        'state:enum{fresh,dried,lost} keeper:references:user',
    ],
  },
  {
    name: 'every modifier',
    commands: [
      'reading name:string{3..120}^ note:text? level:integer{0..130}=5 total:bigint?:index price:decimal{12,2}=0 ' +
        'ratio:float{0..1} done:boolean=true due:date? at:time? starts_at:datetime? token:uuid:unique extra:json? ' +
        'mail:email:null:unique site:url? path:slug^ state:enum{draft,published}=draft secret:string?:private',
      'sample title:string:min(3):max(120) note:text:null level:integer:default(5):index state:enum{a,b}:default(a)',
    ],
  },
  { name: 'no field at all', commands: ['shelf'] },
  { name: 'nothing but booleans', commands: ['flag hot:boolean cold:boolean=true'] },
  { name: 'nothing but references', commands: ['bookmark post:references reader:references:user'] },
  {
    name: 'two references to one table, and to itself',
    commands: [
      'task_item parent:references:self? assignee:references:user reviewer:references:user? --owner assignee',
      'letter sender:references:user recipient:references:user text:text --owner sender',
    ],
  },
  { name: 'a unique string', commands: ['coupon code:string:unique'] },
  { name: 'an enum with a default', commands: ['ticket title:string status:enum{open,closed}=open'] },
  { name: 'two words', commands: ['BlogPost title:string', 'guest-book entry:text', 'photo_album name'] },
  {
    name: 'irregular plurals',
    commands: [
      'person name',
      'category name',
      'status name',
      'box name',
      'child name parent:references:person',
    ],
  },
  { name: 'no plurals', commands: ['news title:string', 'sheep name', 'equipment name serial:string?^'] },
  { name: 'forty columns', commands: [`wide_table ${FORTY.join(' ')}`] },
  { name: 'two in a row', commands: ['author name:string', 'book title:string writer:references:author'] },
  { name: 'read by everybody', commands: ['notice title:string text:text --public-read'] },
  { name: 'a cursor', commands: ['event_entry title:string happened_at:datetime --cursor created_at'] },
  { name: 'no API', commands: ['memo text:text owner:references:user --no-api'] },
  {
    name: 'uuids',
    commands: [
      'document title:string owner:references:user --id uuid',
      'page_note text document:references --id uuid',
    ],
  },
  {
    name: 'a trash and versions',
    commands: ['contract title:string owner:references:user --soft-delete --version'],
  },
  { name: 'words of SQL', commands: ['order number:integer', 'group name', 'select user:references'] },
  {
    name: 'another plural and label',
    commands: ['octopus arms:integer nick:string --plural octopodes --label nick'],
  },
]
