import { cutAtWord, oneLine } from '../../../../contract/text.ts';

/** Fields of front matter by their names in lower case, without `-`, `_` and spaces. */
export type Fields = ReadonlyMap<string, unknown>;

/** Any value but a clear no holds the text back. */
const holding = new Set(
  `draft isdraft unpublished wip workinprogress private isprivate secret hidden ishidden unlisted isunlisted headless
  password passwords protected passwordprotected encrypted encrypt confidential internal locked restricted embargo
  membersonly memberonly subscribersonly subscriberonly friendsonly familyonly patronsonly paidonly adminonly
  premium paid paywall gated requireslogin requirelogin loginrequired authrequired requiresauth requiresmembership
  nopublish donotpublish dontpublish ignore skip trash trashed deleted
  eleventyexcludefromcollections`.split(/\s+/),
);

/** A clear no holds the text back. */
const releasing = new Set(
  `published ispublished publish dgpublish public ispublic permalink visible isvisible listed islisted render output
  live`.split(/\s+/),
);

/** A value says who may read it, or how far it is: any value but a known open one holds the text back. */
const saying = new Set(
  `status state poststatus publishstatus publicationstatus visibility access accesslevel accesscontrol audience privacy
  permission permissions readers viewers allowedusers allowedroles roles groups acl tier tiers membership
  restriction restrictions classification sensitivity`.split(/\s+/),
);
const openWords =
  /^(?:publish|published|public|publicly|open|everyone|everybody|anyone|anybody|any|all|world|free|live|active|final|finished|done|complete|completed|ready|posted|visible|listed|evergreen)$/i;
/** Values without meaning, except in the fields of {@link closable}: `access: none` closes. */
const emptyWords = /^(?:|none|null|~|no|false|off|0)$/i;
const closable = new Set(['visibility', 'access', 'audience', 'readers', 'viewers', 'privacy']);

/** An unlisted field whose name suggests a restriction. */
const soundsRestricting =
  /^(?:is|dg|post|page|note|content|article)?(?:private|draft|hidden|unlisted|restrict|protect|password|encrypt|access|visib|privac|permission|member|subscriber|paywall|embargo|confidential|nopublish|unpublish)|(?:only|password|access|visibility|privacy|permissions?|restrict(?:ed|ion)|private|draft|unlisted)$/;
/** Names that suggest a restriction and are harmless. */
const harmless =
  /^(?:accessed|accessedat|accessdate|accessibility\w*|draftof|readonly|membership(?:id|number)?)$/;

/** Maps in which generators keep fields of a page. */
const containers = new Set(['params', 'extra', 'metadata', 'meta', 'data', 'page', 'options', 'settings']);

/**
 * The field of front matter by which a source hides a text from readers (`hidden: true`); undefined for none.
 * An unclear restriction counts as one (decision 32): a mistaken publication cannot be undone.
 */
export function restrictionIn(fields: Fields): string | undefined {
  for (const [name, value] of fields) {
    const isHeld =
      holding.has(name) || (soundsRestricting.test(name) && !isListed(name) && !harmless.test(name))
        ? isHeldByYes(value)
        : releasing.has(name)
          ? isHeldByNo(value)
          : saying.has(name)
            ? isHeldByWord(name, value)
            : name === 'hide'
              ? wordsIn(value).some(isYes)
              : name === 'build' && isHeldByBuild(value);
    if (isHeld) return `${name}: ${cut(value)}`;
    if (containers.has(name) && isMap(value)) {
      const inner = restrictionIn(fieldsOf(value));
      if (inner !== undefined) return inner;
    }
  }
  return undefined;
}

/** A map as {@link Fields}. The first spelling of a name wins: `date` before `Date`. */
export function fieldsOf(value: object): Fields {
  const fields = Object.entries(value).map(
    ([name, field]) => [name.toLowerCase().replaceAll(/[-_\s]/g, ''), field] as const,
  );
  return new Map(fields.reverse());
}

const isListed = (name: string) => releasing.has(name) || saying.has(name) || containers.has(name);

export const isYes = (text: string) => /^(?:true|yes|on|1)$/i.test(text);
export const isNo = (text: string) => /^(?:false|no|off|0|n|f)$/i.test(text);

/** The single values of a field, however they are nested. */
function wordsIn(value: unknown): string[] {
  if (value === null || value === undefined) return [];
  if (typeof value === 'object' && !(value instanceof Date)) return Object.values(value).flatMap(wordsIn);
  const text = oneLine(String(value instanceof Date ? value.getTime() : value));
  return text === '' || text === '~' || text === 'null' ? [] : [text];
}

const isHeldByYes = (value: unknown) => wordsIn(value).some(word => !isNo(word));
const isHeldByNo = (value: unknown) => wordsIn(value).some(isNo);

function isHeldByWord(name: string, value: unknown): boolean {
  const words = wordsIn(value);
  if (closable.has(name)) return !words.every(word => openWords.test(word) || isYes(word));
  return !words.every(word => openWords.test(word) || emptyWords.test(word));
}

/** Hugo's `build`: pages that it does not render or list are found by no reader. */
function isHeldByBuild(value: unknown): boolean {
  if (!isMap(value)) return isHeldByNo(value);
  const fields = fieldsOf(value);
  return ['render', 'list'].some(name =>
    wordsIn(fields.get(name)).some(word => !/^(?:always|true|yes)$/i.test(word)),
  );
}

const isMap = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Date);

function cut(value: unknown): string {
  return cutAtWord(wordsIn(value).join(', '), 40);
}
