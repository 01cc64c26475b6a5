import { expect, it } from 'vitest';
import { withoutShortcodes } from './generators.ts';

const plain = (text: string) => withoutShortcodes(text).content;

it('figures, videos and code of Hugo become Markdown', () => {
  expect(plain('{{< figure src="a b.png" alt="A hill" caption="The hill" >}}')).toBe(
    '![A hill](a%20b.png)\n\n*The hill*',
  );
  expect(plain('{{<youtube abc-1>}}')).toBe('<https://www.youtube.com/watch?v=abc-1>');
  expect(plain('{{< vimeo 12 >}}')).toBe('<https://vimeo.com/12>');
  expect(plain('[b]({{< ref "b.md" >}})')).toBe('[b](b.md)');
  expect(plain('{{< video src="boat.mp4" >}}')).toBe('[Video: boat.mp4](boat.mp4)');
  expect(plain('{{< highlight go "linenos=table" >}}\na < b\n{{< /highlight >}}')).toBe('```go\na < b\n```');
  expect(plain('{{% details summary="More" %}}\nInside.\n{{% /details %}}')).toBe(
    '<details>\n<summary>More</summary>\n\nInside.\n\n</details>',
  );
});

it('signs of Jekyll become Markdown', () => {
  expect(plain('![]({{ site.baseurl }}/a.png) ![]({{ "/b.png" | relative_url }})')).toBe(
    '![](/a.png) ![](/b.png)',
  );
  expect(plain('[x]({% post_url 2020-01-02-walk %})')).toBe('[x](/_posts/2020-01-02-walk.md)');
  expect(plain('{% highlight ruby linenos %}\nputs "```"\n{% endhighlight %}')).toBe(
    '````ruby\nputs "```"\n````',
  );
  expect(plain('a{% comment %}hidden{% endcomment %}b')).toBe('ab');
});

it('code shows the signs as they are, and a theme’s own stay, with their names', () => {
  const code = '```\n{{< youtube abc >}}\n```\n\n`{{ site.url }}`';
  expect(withoutShortcodes(code)).toEqual({ content: code, notes: [] });
  expect(withoutShortcodes('{{< mine a="b" >}} {% other %}')).toEqual({
    content: '{{< mine a="b" >}} {% other %}',
    notes: ['these shortcodes stay as words: mine, other'],
  });
});

it('shortcodes that never end are read in time linear in their length', () => {
  for (const text of [`{{<0\t-\t=${'/\t0\t='.repeat(5_000)}`, `{{<0 ${'a=b '.repeat(5_000)}"`]) {
    expect(plain(text)).toBe(text);
  }
});
