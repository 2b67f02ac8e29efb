/** A clone, and the resources to scaffold in it, in this order. scaffold.matrix.ts tests each row. */
export interface Row {
  readonly name: string
  readonly commands: readonly string[]
}

const FORTY = Array.from(
  { length: 40 },
  (_, index) => `column_${index + 1}:${index % 4 === 3 ? 'integer?' : 'string?'}`,
)

/** Models with edge cases. */
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
  {
    name: 'every type, nullable',
    commands: [
      'trace title:string? summary:text? amount:integer? distance:bigint? price:decimal? weight:float? rare:boolean=true ' +
        'found_on:date? found_at:time? seen_at:datetime? code:uuid? details:json? contact:email? homepage:url? ' +
        'handle:slug? state:enum{fresh,dried,lost}? keeper:references:user?',
    ],
  },
  { name: 'no fields', commands: ['shelf'] },
  { name: 'only booleans', commands: ['flag hot:boolean cold:boolean=true'] },
  {
    name: 'only references',
    commands: ['pamphlet title', 'bookmark pamphlet:references reader:references:user'],
  },
  {
    name: 'two references to one table, and a reference to itself',
    commands: [
      'task_item parent:references:self? assignee:references:user reviewer:references:user? --owner assignee',
      'letter sender:references:user recipient:references:user text:text --owner sender',
    ],
  },
  { name: 'a unique string', commands: ['coupon code:string:unique'] },
  {
    name: 'unique references and small ranges',
    commands: [
      'remark title',
      'profile user:references^ room:integer{1..9}^ bio:text',
      'pin remark:references:unique',
    ],
  },
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
  {
    name: 'equal singular and plural',
    commands: ['news title:string', 'sheep name', 'equipment name serial:string?^'],
  },
  { name: 'forty columns', commands: [`wide_table ${FORTY.join(' ')}`] },
  { name: 'two resources', commands: ['author name:string', 'book title:string writer:references:author'] },
  { name: 'public', commands: ['notice title:string text:text --public-read'] },
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
    commands: ['contract title:string number:string^ owner:references:user --soft-delete --version'],
  },
  { name: 'public, with an owner', commands: ['essay title:string author:references:user --public-read'] },
  {
    name: 'public if a boolean is true, without an owner',
    commands: ['shop name:string open:boolean --public-when open'],
  },
  {
    name: 'uuids that refer to uuids and to themselves',
    commands: [
      'folder name:string owner:references:user --id uuid',
      'leaflet folder:references next:references:self? title:string',
      'node_item title:string next:references:self? --id uuid',
    ],
  },
  { name: 'words of SQL', commands: ['order number:integer', 'group name', 'select user:references'] },
  {
    name: 'another plural and label',
    commands: ['octopus arms:integer nick:string --plural octopodes --label nick'],
  },
  {
    name: 'names that occur in generated code',
    commands: [
      'page title:string input:text owner:references:user',
      'form title:string owner:references:user',
      'value input:string reader:references:user?',
      'ctx_entry title:string owner:references:user',
      'state_of_it name:string member:references:user',
      'it name:string it:boolean user:references',
    ],
  },
  {
    name: 'nested in others',
    commands: [
      'invoice number:string^ paid:boolean author:references:user --public-when paid',
      'invoice_line text:text amount:decimal invoice:references{cascade} tax:references:invoice? --in invoice --no-version',
      'invoice_comment body:text answers:references:self? invoice:references{cascade} author:references:user --in invoice --count',
      'depot name --id uuid',
      'crate label:string^ depot:references keeper:references:user --in depot --count --id uuid --soft-delete --no-api',
    ],
  },
  {
    name: 'pages below others, and editors',
    commands: [
      'team name:string members:many:user owner:references:user --editors members',
      'project title:string team:references owner:references:user --in team --pages --id uuid',
      'chore title:string body:text done:boolean project:references helper:references:user? --owner none --in project --pages --count',
      'footnote text:text chore:references{cascade} author:references:user --in chore --count',
      'quote text:text chore:references footnote:references? author:references:user',
    ],
  },
  {
    name: 'pages below a public resource',
    commands: [
      'magazine title:string published:boolean owner:references:user editors:many:user --public-when published --editors editors',
      'column title:string magazine:references author:references:user --in magazine --pages --soft-delete --cursor created_at',
      'supplement name:string magazine:references --in magazine --pages',
      'circle name:string people:many:user --editors people --no-api',
      'meeting topic:string circle:references --in circle --pages --no-version',
    ],
  },
  {
    name: 'states and actions',
    commands: [
      'issue title:string state:states{open>in_review>closed,in_review>open} author:references:user --action escalate',
      'parcel label:string^ status:states{packed>sent>lost,sent>arrived} --id uuid --no-version --public-read --action weigh',
      'claim text:text phase:states{draft>out,old>out}=old owner:references:user --soft-delete --no-api --action mark_paid --action praise',
      'todo name:string progress:states{todo>doing>done,doing>todo} issue:references{cascade} --in issue --count',
      'review text:text mood:states{good>bad>good} parcel:references author:references:user --in parcel --action thank --no-version',
    ],
  },
  {
    name: 'lists of other records',
    commands: [
      'topic name:string{1..40}^',
      'thread title:string topics:many:topic watchers:many:user:ordered twins:many:self:ordered author:references:user',
      'clip title:string topics:many:topic:ordered{restrict} phase:states{draft>out} --id uuid --soft-delete --public-read',
      'clip_note text:text clip:references{cascade} topics:many author:references:user related:many:clip:ordered --in clip --count',
      'bundle threads:many:thread --no-api',
    ],
  },
  {
    name: 'several values, keys of several columns, and computed columns',
    commands: [
      'roster title:string days:enum[]{mon,tue,wed} labels:string[]{5} number:integer:unique(owner) owner:references:user',
      'slot roster:references position:integer{1..200}:unique(roster) code:slug:unique(position,roster) spots:string[]:private --in roster',
      'purchase title:string price:decimal quantity:integer total:decimal:as(price*quantity) large:boolean:as(quantity>3) order:integer rank:integer:as(order*2) buyer:references:user',
      'tour langs:enum[]{en,de} room:integer name:string:unique(room) --soft-delete --id uuid --public-read',
    ],
  },
  {
    name: 'money',
    commands: [
      'estimate title subtotal:money(currency) tax:money(currency)? currency:enum{EUR,JPY,USD} fee:money{EUR}=0 owner:references:user',
      'wage amount:money{JPY}{0..900000}^ bonus:money:BHD:null:private --no-api --no-version',
      'toll unit:enum{BHD,EUR}=EUR price:money(unit){0..1} total:money(unit):as(price*3) --id uuid --soft-delete --public-read --cursor price',
      'estimate_line text:text estimate:references{cascade} price:money(unit) unit:enum{EUR,JPY} --in estimate',
      'estimate_part title price:money(unit) unit:enum{EUR,JPY} estimate:references owner:references:user --in estimate --pages',
    ],
  },
  {
    name: 'names that are too long for Postgres',
    commands: [
      'a_very_long_name_of_a_resource and_a_very_long_name_of_a_column_in_it:string^:index ' +
        'and_the_name_of_a_reference_which_is_long:references:user?',
    ],
  },
]
