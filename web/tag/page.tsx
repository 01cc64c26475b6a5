import { useInfiniteQuery } from '@tanstack/react-query';
import type { Output } from '../../contract/operations.ts';
import { tagKey } from '../../contract/tag-name.ts';
import { entryIndex, useNavigate, useQueryString } from '../app/navigation.ts';
import { Page } from '../app/page.tsx';
import { timelineQuery, useCall } from '../app/queries.tsx';
import { routes } from '../app/routes.ts';
import type { ScreenModule, ScreenProps } from '../app/screen.ts';
import { PostList } from '../timeline/post-list.tsx';
import { longestName, pageOfAddress } from '../timeline/selection.ts';

export const prepare: ScreenModule['prepare'] = async ({ call, client, params, search }) => {
  const tag = tagOf(params.tag);
  const { pages } = await client.fetchInfiniteQuery(timelineQuery(call, [tag], pageOfAddress(search)));
  const posts = pages.flatMap(page => page.posts);
  // A missing tag and one that the viewer may not see look the same (decision 3).
  if (posts.length === 0) return { title: titleOf(tag), status: 404 };
  const name = nameIn(posts, tag);
  const title = titleOf(name);
  // Its feed leaves out the site's pages.
  const feedTag = posts.some(({ shownIn }) => shownIn === 'timeline') ? name : undefined;
  return { title, description: title, canonical: addressOf(name), kind: 'website', feedTag };
};

function tagOf(param: string | undefined): string {
  return (param ?? '').slice(0, longestName);
}

/** The spelling of the tag on its posts: the address may have another case. */
function nameIn(posts: Output<'getPosts'>['posts'], tag: string): string {
  return posts[0]?.tags.find(name => tagKey(name) === tagKey(tag)) ?? tag;
}

function titleOf(tag: string): string {
  return `Posts tagged "${tag}"`;
}

function addressOf(tag: string): string {
  return routes.tag.href({ tag });
}

/** The posts with a tag (specification section 2, "/tags/{tagName}"). */
export default function TagPage({ params }: ScreenProps) {
  const tag = tagOf(params.tag);
  // Another tag is a new page, whose heading gets the focus.
  return <TaggedPosts key={tag} tag={tag} />;
}

function TaggedPosts({ tag }: { tag: string }) {
  const search = useQueryString();
  const page = pageOfAddress(search);
  const list = useInfiniteQuery(timelineQuery(useCall(), [tag], page));
  const name = nameIn(list.data?.pages.flatMap(each => each.posts) ?? [], tag);
  return (
    <Page title={titleOf(name)} above={<BackButton />}>
      <PostList
        list={list}
        nextAddress={`${addressOf(name)}?page=${page + 1}`}
        whenEmpty={<p>There are no posts with this tag that you can read.</p>}
      />
    </Page>
  );
}

/**
 * Goes back to where the reader came from, or to the timeline if they came from another site or have no
 * scripts.
 */
function BackButton() {
  const navigate = useNavigate();
  const goBack = () => {
    if (entryIndex() > 0) window.history.back();
    else navigate(routes.timeline.href());
  };
  return (
    <>
      <button type="button" className="quiet back" onClick={goBack}>
        Back
      </button>
      <noscript>
        <a className="quiet back" href={routes.timeline.href()}>
          Back
        </a>
      </noscript>
    </>
  );
}
