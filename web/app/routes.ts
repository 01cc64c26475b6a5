/** The parameters of a path: for `/post/:postId`, `{ postId }`. */
export type Params = Readonly<Record<string, string>>;
type ParamsOf<Pattern extends string> = Pattern extends `${string}:${infer Name}/${infer Rest}`
  ? { readonly [Key in Name]: string } & ParamsOf<Rest>
  : Pattern extends `${string}:${infer Name}`
    ? { readonly [Key in Name]: string }
    : unknown;

type Route<Path extends string = string> = {
  pattern: RegExp;
  /** The parameters of its query that the screen reads. The server drops all others before it renders. */
  query: readonly string[];
  /** The address, with a query or a hash as it is written: `href({ postId }, '#comments')`. */
  href(...values: unknown extends ParamsOf<Path> ? [rest?: string] : [ParamsOf<Path>, rest?: string]): string;
};

function route<Path extends string>(path: Path, query: readonly string[] = []): Route<Path> {
  return {
    pattern: new RegExp(`^${path.replaceAll(/:(\w+)/g, '(?<$1>[^/]+)')}/*$`, 'i'),
    query,
    href: (...values) => {
      const rest = values.find(value => typeof value === 'string') ?? '';
      const params = Object.entries<string>(values.find(value => typeof value === 'object') ?? {});
      const named = (to: string, [name, value]: [string, string]) =>
        to.replace(`:${name}`, encodeURIComponent(value));
      return params.reduce(named, path) + rest;
    },
  };
}

/** Every route of the app by its name. An unknown path leads to the timeline. */
export const routes = {
  timeline: route('/', ['tags', 'page']),
  post: route('/post/:postId', ['comments']),
  tag: route('/tags/:tag', ['page']),
  search: route('/search', ['q', 'tag', 'kind', 'year', 'pictures', 'page']),
  archive: route('/archive', ['year', 'month', 'after']),
  profile: route('/profile', ['likes', 'comments']),
  login: route('/login', ['next', 'failed']),
  loginCode: route('/login/code', ['next', 'failed']),
  signInLink: route('/sign-in', ['token', 'next', 'done', 'failed']),
  signup: route('/signup', ['next', 'failed', 'username', 'name', 'email']),
  account: route('/account', ['done', 'failed']),
  forgotPassword: route('/forgot-password', ['next']),
  resetPassword: route('/reset-password', ['token', 'next']),
  confirm: route('/confirm', ['token']),
  invite: route('/invite', ['token', 'next', 'failed', 'username', 'name', 'email']),
  unsubscribe: route('/unsubscribe', ['token', 'instead', 'done']),
  setup: route('/setup', ['token']),
  users: route('/admin', ['list', 'search']),
  posts: route('/admin/posts', ['filter', 'type', 'tag', 'author', 'search', 'page']),
  managedTags: route('/admin/tags'),
  reportedComments: route('/admin/comments', ['list']),
  invitations: route('/admin/invitations'),
  settings: route('/admin/settings'),
  mail: route('/admin/mail'),
  webhooks: route('/admin/webhooks'),
  history: route('/admin/history', ['person', 'kind', 'from', 'to', 'after']),
  backups: route('/admin/backups'),
  system: route('/admin/system'),
  transfers: route('/admin/import-export'),
  newPost: route('/admin/posts/new', ['draft']),
  editPost: route('/admin/posts/:postId/edit'),
};

export type RouteName = keyof typeof routes;

/** The login page, which leads to `next` afterwards. */
export function loginHref(next: string): string {
  return routes.login.href(nextQuery(next));
}

/** The page that mails a link to log in, which leads to `next` afterwards. */
export function signInLinkHref(next: string): string {
  return routes.signInLink.href(nextQuery(next));
}

/** The page that asks for the code of a second factor, and leads to `next` afterwards. */
export function codeHref(next: string): string {
  return routes.loginCode.href(nextQuery(next));
}

/** Empty for the timeline, which is the default. */
function nextQuery(next: string): string {
  return next === routes.timeline.href() ? '' : `?next=${encodeURIComponent(next)}`;
}

/**
 * The route of a path with its parameters; undefined if there is none. Server and browser both use it, so
 * that an unusual spelling of a path meets the same guard.
 */
export function routeAt(pathname: string): { name: RouteName; params: Params } | undefined {
  const path = decoded(pathname);
  if (path === undefined) return undefined;
  for (const name of Object.keys(routes) as RouteName[]) {
    const match = routes[name].pattern.exec(path);
    if (match === null) continue;
    const params = Object.entries(match.groups ?? {}).map(([key, value]) => [
      key,
      value.replaceAll(innerSlash, '/'),
    ]);
    return { name, params: Object.fromEntries(params) };
  }
  return undefined;
}

/** Stands for a slash inside a segment: no name contains this character. */
const innerSlash = '\0';

/** A path without its escapes, except for slashes inside a segment; undefined if the escapes are invalid. */
function decoded(pathname: string): string | undefined {
  try {
    return pathname
      .split('/')
      .map(part => decodeURIComponent(part).replaceAll('/', innerSlash))
      .join('/');
  } catch {
    return undefined;
  }
}
