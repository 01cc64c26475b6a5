/** Exports of WordPress as tests need them, written as WordPress 6 writes them (WXR 1.2). */

type ExportedComment = {
  id: number;
  author?: string;
  content?: string;
  approved?: string;
  type?: string;
  parent?: number;
  userId?: number;
};

export type ExportedItem = {
  id: number;
  title?: string;
  content?: string;
  excerpt?: string;
  type?: string;
  status?: string;
  password?: string;
  date?: string;
  link?: string;
  author?: string;
  categories?: readonly string[];
  tags?: readonly string[];
  meta?: Record<string, string>;
  comments?: readonly ExportedComment[];
  attachmentUrl?: string;
  parent?: number;
};

export const wordpressSite = 'https://walks.example';

const cdata = (text: string) => `<![CDATA[${text.replaceAll(']]>', ']]]]><![CDATA[>')}]]>`;

function commentXml(comment: ExportedComment): string {
  const { id, author = 'Quincey', content = 'Well said.', approved = '1', type = 'comment' } = comment;
  return `<wp:comment>
    <wp:comment_id>${id}</wp:comment_id>
    <wp:comment_author>${cdata(author)}</wp:comment_author>
    <wp:comment_author_email>${cdata('secret@example.com')}</wp:comment_author_email>
    <wp:comment_author_IP>${cdata('192.0.2.7')}</wp:comment_author_IP>
    <wp:comment_date>${cdata('2020-05-18 10:00:00')}</wp:comment_date>
    <wp:comment_date_gmt>${cdata(`2020-05-18 08:00:${String(id % 60).padStart(2, '0')}`)}</wp:comment_date_gmt>
    <wp:comment_content>${cdata(content)}</wp:comment_content>
    <wp:comment_approved>${cdata(approved)}</wp:comment_approved>
    <wp:comment_type>${cdata(type)}</wp:comment_type>
    <wp:comment_parent>${comment.parent ?? 0}</wp:comment_parent>
    <wp:comment_user_id>${comment.userId ?? 0}</wp:comment_user_id>
  </wp:comment>`;
}

function itemXml(item: ExportedItem): string {
  const { id, type = 'post', status = 'publish', date = '2020-05-17 10:00:00' } = item;
  const terms = [
    ...(item.categories ?? []).map(name => ['category', name] as const),
    ...(item.tags ?? []).map(name => ['post_tag', name] as const),
  ];
  return `<item>
    <title>${cdata(item.title ?? '')}</title>
    <link>${item.link ?? `${wordpressSite}/?p=${id}`}</link>
    <dc:creator>${cdata(item.author ?? 'mina')}</dc:creator>
    <content:encoded>${cdata(item.content ?? '')}</content:encoded>
    <excerpt:encoded>${cdata(item.excerpt ?? '')}</excerpt:encoded>
    <wp:post_id>${id}</wp:post_id>
    <wp:post_date>${cdata(date)}</wp:post_date>
    <wp:post_date_gmt>${cdata(date)}</wp:post_date_gmt>
    <wp:post_name>${cdata(`post-${id}`)}</wp:post_name>
    <wp:status>${cdata(status)}</wp:status>
    <wp:post_parent>${item.parent ?? 0}</wp:post_parent>
    <wp:post_type>${cdata(type)}</wp:post_type>
    <wp:post_password>${cdata(item.password ?? '')}</wp:post_password>
    ${item.attachmentUrl ? `<wp:attachment_url>${cdata(item.attachmentUrl)}</wp:attachment_url>` : ''}
    ${terms.map(([domain, name]) => `<category domain="${domain}" nicename="${name.toLowerCase()}">${cdata(name)}</category>`).join('\n')}
    ${Object.entries(item.meta ?? {})
      .map(
        ([key, value]) =>
          `<wp:postmeta><wp:meta_key>${cdata(key)}</wp:meta_key><wp:meta_value>${cdata(value)}</wp:meta_value></wp:postmeta>`,
      )
      .join('\n')}
    ${(item.comments ?? []).map(commentXml).join('\n')}
  </item>`;
}

/**
 * A whole export; `head` stands before its first element. With an empty `address` it does not say of which
 * site it is.
 */
export function wordpressExport(
  items: readonly ExportedItem[],
  head = '',
  address: string = wordpressSite,
): string {
  const said = address && `<link>${address}</link><wp:base_blog_url>${address}</wp:base_blog_url>`;
  return `<?xml version="1.0" encoding="UTF-8" ?>
${head}<rss version="2.0"
  xmlns:excerpt="http://wordpress.org/export/1.2/excerpt/"
  xmlns:content="http://purl.org/rss/1.0/modules/content/"
  xmlns:dc="http://purl.org/dc/elements/1.1/"
  xmlns:wp="http://wordpress.org/export/1.2/">
<channel>
  <title>Walks</title>
  ${said}
  <wp:wxr_version>1.2</wp:wxr_version>
  <wp:author><wp:author_id>1</wp:author_id><wp:author_login>${cdata('mina')}</wp:author_login><wp:author_display_name>${cdata('Mina Harker')}</wp:author_display_name></wp:author>
  ${items.map(itemXml).join('\n')}
</channel>
</rss>
`;
}
